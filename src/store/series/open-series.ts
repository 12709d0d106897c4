// The telemetry store as the use cases see it: the writing thread, the reading threads, and the latest values in memory.

import { Worker } from "node:worker_threads";
import { AppError } from "#core/app-error.ts";
import { itemAt } from "#core/item-at.ts";
import { type ByteBudgets, createByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import { isLater, takesPlace } from "#core/telemetry/latest-value.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { RowBlock } from "#core/telemetry/row-block.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import type {
  LoadedColumn,
  PieceOf,
  Rows,
  SeriesRequest,
  Snapshot,
  TelemetryPoints,
  TelemetryStore,
} from "#service/ports/telemetry-store.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";
import type { SeriesDefinition } from "./batch.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { Latest } from "./chunk.ts";
import { valueAt } from "./column.ts";
import { CURRENT_TEXTS_BYTES, CURRENT_VALUES_BYTES, CurrentValues } from "./current-values.ts";
import { type Damage, damageAt, namedRows, refuseDamaged } from "./damage.ts";
import { createDefineFirst } from "./define-first.ts";
import type { EngineSettings } from "./engine.ts";
import { createHeldBack } from "./held-back.ts";
import { createIntake, MAX_WAITING_BYTES } from "./intake.ts";
import { type ChunkAddress, loadChunkModule } from "./load-chunk-module.ts";
import { parsePacked } from "./packed-points.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "./query.ts";
import { createQuickReader, isNothing } from "./quick-reader.ts";
import { openReaders } from "./readers.ts";
import { loadRenderer } from "./render/load-renderer.ts";
import { SeriesIndex } from "./series-index.ts";
import type { OpenPoints } from "./series-writer.ts";
import { openWriterThread } from "./writer-thread.ts";
import type { WriterData } from "./writer-worker.ts";

export interface SeriesSettings extends EngineSettings {
  readonly readers: number;
  readonly shares?: Pick<Shares, "open" | "watch">;
  readonly budgets?: Pick<ByteBudgets, "open" | "watch">;
  readonly now?: () => number;
  /** Deletes the parts of the journal that were damaged before this start, and no longer reports them. */
  readonly forgetDamaged?: boolean;
  /** Background work failed. Nothing is lost, and it will be tried again. */
  readonly onTrouble?: (error: Error) => void;
  /** Something stored is damaged. It is missing from answers; everything else is there. */
  readonly onDamaged?: (damage: Damage) => void;
}

/** Bytes of a value with its own time and room to grow. In a message of many values a point takes half of it. */
const POINT_BYTES = 24;

export async function openSeries(
  chunks: ChunkAddress,
  {
    readers: readerCount,
    shares,
    budgets = createByteBudgets(),
    onTrouble = () => {},
    onDamaged = () => {},
    forgetDamaged = false,
    now: clock = () => Date.now(),
    ...settings
  }: SeriesSettings,
  onFault: (error: Error) => void,
): Promise<TelemetryStore> {
  const oldestHour = new Int32Array(new SharedArrayBuffer(4));
  const openPoints = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WriterData = { chunks, settings, forgetDamaged, oldestHour, openPoints };
  let index = new SeriesIndex([]);
  const tellDamaged = (place: StoredPlace) => onDamaged(damageAt(index, place));
  const worker = new Worker(new URL("./writer-worker.ts", import.meta.url), {
    ...THREAD_OPTIONS,
    workerData,
    name: "series writer",
  });
  const opened = await openWriterThread(worker, { onFault, onTrouble, onDamaged: tellDamaged });
  const { thread, definitions, latest, damaged, setAside, isShared } = opened;
  if (setAside !== undefined) onDamaged({ table: "journal", start: 0, span: 0, setAside });
  const module = await loadChunkModule(chunks);
  const quick = createQuickReader(await module.openReader(chunks.place, "small queries", chunks.copy));
  const readers = openReaders(chunks, { count: readerCount, budgets, ...(shares && { shares }) }, onTrouble);
  index = new SeriesIndex(definitions);
  for (const place of damaged) tellDamaged(place);
  const current = new CurrentValues(
    budgets.open("current_values", CURRENT_VALUES_BYTES),
    budgets.open("current_texts", CURRENT_TEXTS_BYTES),
  );
  const startedAt = clock();
  for (const one of namedLatest(definitions, latest))
    current.note(one, { snapshot: one, at: startedAt, fits: isLater });
  const intake = createIntake({
    index,
    commit: (batch) => thread.append(batch),
    onDurable: (latest) => {
      const at = clock();
      for (const [series, snapshot] of latest) current.note(series, { snapshot, at, fits: takesPlace });
    },
  });

  budgets.watch({ name: "telemetry_writes", limit: MAX_WAITING_BYTES, used: () => intake.waitingBytes });
  budgets.watch({
    name: "open_points",
    limit: settings.maxHotPoints * POINT_BYTES,
    used: () => Atomics.load(openPoints, 0) * POINT_BYTES,
  });

  /** Without any wait, unless a shared store has to number a series first. */
  const append = isShared
    ? createDefineFirst({ index, define: thread.define, append: (messages) => intake.append(messages) })
    : (messages: readonly TelemetryPoints[]) => intake.append(messages);

  /** Other nodes define series, too. */
  async function learnSeries(deviceIds: readonly string[]): Promise<void> {
    if (isShared && deviceIds.length > 0) index.learn(await thread.seriesOf([...new Set(deviceIds)]));
  }

  const { holdBack, release } = createHeldBack({
    hold: thread.hold,
    releasable: thread.releasable,
    forget: thread.forgetHeld,
    append,
  });

  /** Damage with its place in terms that the caller knows. */
  function named(error: unknown): unknown {
    if (error instanceof AppError && error.code === "storage_unavailable") onTrouble(error);
    if (!(error instanceof DamagedPiece)) return error;
    tellDamaged(error.place);
    return refuseDamaged(damageAt(index, error.place));
  }

  /** The query with series numbers, and its unsealed points; undefined when it is about sealed hours only. */
  async function prepare({ from, to, items }: SeriesRequest): Promise<[SeriesQuery, Promise<OpenPoints> | undefined]> {
    const unknown = items.filter((item) => index.find(item.deviceId, item.attribute, item.kind) === undefined);
    if (isShared) await learnSeries(unknown.map(({ deviceId }) => deviceId));
    const numbered = items.map((item): SeriesItem => {
      const definition = index.find(item.deviceId, item.attribute, item.kind);
      return { ...item, series: definition?.series, device: definition?.device ?? 0 };
    });
    const series = numbered.flatMap(({ series, device }) => (series === undefined ? [] : [{ series, device }]));
    const reaches = items.map(reachOf);
    const before = Math.max(0, ...reaches.map((reach) => reach.before));
    const end = to + Math.max(0, ...reaches.map((reach) => reach.after));
    const isSealed = end <= Atomics.load(oldestHour, 0) * HOUR_MS;
    const query = { from, to, items: numbered };
    return [query, isSealed || series.length === 0 ? undefined : thread.snapshot(series, from - before, end)];
  }

  /** Its points are known. */
  async function known(query: SeriesQuery, points: Promise<OpenPoints> | undefined) {
    if (points === undefined) return { query, hot: [] };
    const { hot, state } = await points;
    return { query: { ...query, since: state }, hot: isNothing(hot) ? [] : hot };
  }

  /** A server takes a while for the unsealed points, and there are hardly any of these hours. */
  const isPast = ({ to }: SeriesQuery) => isShared && to <= clock() - 2 * HOUR_MS;

  /** The series of these columns, in their order, and those among them that the load has to define. */
  async function seriesFor(
    deviceId: string,
    columns: readonly Pick<LoadedColumn, "attribute" | "kind">[],
  ): Promise<{ readonly series: readonly SeriesDefinition[]; readonly definitions: readonly SeriesDefinition[] }> {
    if (isShared) {
      const unknown = columns.filter(({ attribute, kind }) => index.find(deviceId, attribute, kind) === undefined);
      index.learn(await thread.define(unknown.map(({ attribute, kind }) => ({ deviceId, attribute, kind }))));
    }
    const series = columns.map(
      ({ attribute, kind }) => index.find(deviceId, attribute, kind) ?? index.define(deviceId, attribute, kind),
    );
    return { series, definitions: series.filter((one) => !index.isStored(one)) };
  }

  function noteNewest(deviceId: string, newest: Iterable<Snapshot & { readonly attribute: string }>): void {
    const at = clock();
    for (const { attribute, ...snapshot } of newest)
      current.note({ deviceId, attribute }, { snapshot, at, fits: isLater });
  }

  const orNamed = (error: unknown): never => {
    throw named(error);
  };

  return {
    append,
    holdBack,
    release,
    load: (deviceId, columns) =>
      intake.alone(async () => {
        const { series, definitions } = await seriesFor(deviceId, columns);
        const [first] = series;
        if (first === undefined) return;
        const newest = columns.flatMap(newestOf);
        const numbered = columns.map((column, i) => [itemAt(series, i).series, column] as const);
        await thread.load({ device: first.device, definitions, columns: numbered }).catch(orNamed);
        index.noteStored(definitions);
        noteNewest(deviceId, newest);
      }),
    async pack(deviceId, from, to) {
      await learnSeries([deviceId]);
      const series = index.ofDevice(deviceId);
      const [first] = series;
      if (first === undefined) return [];
      return await thread.pack({ device: first.device, series, from, to }).catch(orNamed);
    },
    async loadPacked(deviceId, piece, refused) {
      const packed = parsePacked(piece).chunks;
      const leftOut = await refused?.(packed.map(({ attribute }) => attribute));
      const chunks = packed.filter(({ attribute }) => leftOut?.has(attribute) !== true);
      return await intake.alone(async () => {
        const { series, definitions } = await seriesFor(deviceId, chunks);
        const [first] = series;
        if (first === undefined) return 0;
        const numbers = new Map(chunks.map((chunk, i) => [chunk, itemAt(series, i).series]));
        const load = { device: first.device, definitions, series: packed.map((chunk) => numbers.get(chunk)) };
        const last = await thread.loadPacked({ load, piece }).catch(orNamed);
        index.noteStored(definitions);
        const names = new Map(series.map((one) => [one.series, one.attribute]));
        noteNewest(
          deviceId,
          last.map(({ series: one, at, value }) => ({ attribute: names.get(one) ?? "", at: instant(at), value })),
        );
        return chunks.reduce((sum, { count }) => sum + count, 0);
      });
    },
    async attributes(deviceIds) {
      await learnSeries(deviceIds);
      const namesOf = (deviceId: string) => new Set(index.ofDevice(deviceId).map(({ attribute }) => attribute));
      return new Map(deviceIds.map((deviceId) => [deviceId, [...namesOf(deviceId)]]));
    },
    knownSeries: () => index.size,
    async newestBefore(deviceId, before) {
      await learnSeries([deviceId]);
      const [first] = index.ofDevice(deviceId);
      const at = first && (await thread.newestBefore(first.device, before).catch(orNamed));
      return at === undefined ? undefined : instant(at);
    },
    latest: (deviceId) => current.of(deviceId),
    async current(deviceId) {
      if (!isShared) return current.of(deviceId);
      const at = clock();
      const newest = new Map<string, Snapshot>();
      for (const { attribute, at: taken, value } of await thread.latest(deviceId)) {
        const known = newest.get(attribute)?.at ?? Number.NEGATIVE_INFINITY;
        if (isLater(taken, known, at)) newest.set(attribute, { at: instant(taken), value });
      }
      for (const [attribute, snapshot] of newest)
        current.note({ deviceId, attribute }, { snapshot, at, fits: isLater });
      return newest;
    },
    async query<Rendered extends Rendering | undefined>(request: SeriesRequest, rendering?: Rendered) {
      const [asked, points] = await prepare(request);
      // Whoever needs them is told; meanwhile nobody may be waiting.
      points?.catch(() => {});
      const rendered = rendering as Rendered;
      const isQuick = quick.looksSmall(asked);
      try {
        if (points !== undefined && isShared && !isQuick) {
          const early = { query: asked, points, rendering: rendered };
          return namedRows(await readers.openEarly(early, request.requester), named);
        }
        const early = isQuick && points !== undefined && isPast(asked) ? await quick.answer(asked, points) : undefined;
        const { query, hot } = await known(asked, points);
        const block = early ?? (isQuick && hot.length === 0 ? await quick.answer(query) : undefined);
        if (block !== undefined) return rowsOf(await pieceOf(block, rendering));
        return namedRows(await readers.open({ query, hot, rendering: rendered }, request.requester), named);
      } catch (error) {
        throw named(error);
      }
    },
    async rowBound(request) {
      try {
        const { query, hot } = await known(...(await prepare(request)));
        return await readers.bound(query, hot, request.requester);
      } catch (error) {
        throw named(error);
      }
    },
    async deleteDevice(deviceId) {
      // Pending points are stored first, so that they are deleted too.
      await append([]);
      await thread.deleteDevice(deviceId);
      current.delete(deviceId);
    },
    async drop(deviceId, choice, before) {
      await learnSeries([deviceId]);
      const isChosen = (attribute: string) =>
        "only" in choice ? choice.only.includes(attribute) : !choice.except.includes(attribute);
      const series = index.ofDevice(deviceId).filter(({ attribute }) => isChosen(attribute));
      return await thread.drop(
        deviceId,
        series.map((one) => one.series),
        before,
      );
    },
    chunks: () => thread.countChunks(),
    async space() {
      const space = await thread.space();
      return space && { ...space, oldest: space.oldest === undefined ? undefined : instant(space.oldest) };
    },
    settle: (at) => thread.settle(at),
    async close() {
      await intake.idle();
      await quick.close();
      await readers.close();
      await thread.close();
    },
  };
}

/** All rows at once. */
async function* rowsOf<Piece>(piece: Piece): Rows<Piece> {
  yield { piece, isLast: true };
}

async function pieceOf<Rendered extends Rendering | undefined>(
  block: RowBlock,
  rendering: Rendered | undefined,
): Promise<PieceOf<Rendered>> {
  const piece = rendering === undefined ? block : (await loadRenderer(rendering)).render(block, true);
  return piece as PieceOf<Rendered>;
}

/** The last of the newest values, in the form that `note` needs. */
function newestOf(column: LoadedColumn) {
  let newest = 0;
  for (let i = 1; i < column.count; i++) if (itemAt(column.times, i) >= itemAt(column.times, newest)) newest = i;
  if (column.count === 0) return [];
  return [{ attribute: column.attribute, at: instant(itemAt(column.times, newest)), value: valueAt(column, newest) }];
}

function* namedLatest(definitions: readonly SeriesDefinition[], latest: readonly Latest[]) {
  const bySeries = new Map(definitions.map((one) => [one.series, one]));
  for (const { series, at, value } of latest) {
    const definition = bySeries.get(series);
    if (definition !== undefined) {
      yield { deviceId: definition.deviceId, attribute: definition.attribute, at: instant(at), value };
    }
  }
}
