// The telemetry store as the use cases see it: the writing thread, the reading threads, and the latest values in memory.

import { Worker } from "node:worker_threads";
import { AppError } from "#core/app-error.ts";
import { type ByteBudgets, createByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import { isLater, takesPlace } from "#core/telemetry/latest-value.ts";
import { instant } from "#core/time/instant.ts";
import type { Snapshot, TelemetryPoints, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { THREAD_OPTIONS } from "#tuning/thread-options.ts";
import type { SeriesDefinition } from "./batch.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { Latest } from "./chunk.ts";
import { CURRENT_TEXTS_BYTES, CURRENT_VALUES_BYTES, CurrentValues } from "./current-values.ts";
import { type Damage, damageAt, refuseDamaged } from "./damage.ts";
import { createDefineFirst } from "./define-first.ts";
import type { EngineSettings } from "./engine.ts";
import { createHeldBack } from "./held-back.ts";
import { createIntake, type Intake, type IntakeNeeds, MAX_WAITING_BYTES } from "./intake.ts";
import { createKeptAnswers, type KeptAnswers } from "./kept-answers.ts";
import { type ChunkAddress, loadChunkModule } from "./load-chunk-module.ts";
import { loadPoints } from "./load-points.ts";
import { queryPoints } from "./query-points.ts";
import { createQuickReader, type QuickReader } from "./quick-reader.ts";
import { openReaders } from "./readers.ts";
import { SeriesIndex } from "./series-index.ts";
import type { SeriesParts } from "./series-parts.ts";
import { warmedUp } from "./warm-up.ts";
import { openWriterThread } from "./writer-thread.ts";
import type { WriterData } from "./writer-worker.ts";

export interface SeriesSettings extends EngineSettings {
  readonly readers: number;
  /** Bytes of finished buckets that the readers may keep, and of whole answers. */
  readonly finishedBytes?: number;
  /** When a reading thread is started before anybody needs one; undefined: never. */
  readonly warmUpMs?: number;
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

/** The part of the kept bytes that is for whole answers. */
const ANSWERS_SHARE = 0.25;

export async function openSeries(
  chunks: ChunkAddress,
  {
    readers: count,
    finishedBytes = 0,
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
  const [oldestHour, openPoints, changes] = [sharedNumber(), sharedNumber(), sharedNumber()];
  const workerData: WriterData = { chunks, settings, forgetDamaged, oldestHour, openPoints, changes };
  let index = new SeriesIndex([]);
  const reportDamaged = (place: StoredPlace) => onDamaged(damageAt(index, place));
  const opened = await openWriterThread(startWriter(workerData), { onFault, onTrouble, onDamaged: reportDamaged });
  const { thread, definitions, latest, damaged, setAside, isShared } = opened;
  if (setAside !== undefined) onDamaged({ table: "journal", start: 0, span: 0, setAside });
  const quick = await openQuick(chunks);
  // What another node writes is not counted here.
  const answerBytes = isShared ? 0 : Math.floor(finishedBytes * ANSWERS_SHARE);
  const answers = openAnswers(budgets, answerBytes, changes);
  const ofReaders = { count, finishedBytes: finishedBytes - answerBytes, budgets, ...(shares && { shares }) };
  const readers = warmedUp(openReaders(chunks, ofReaders, onTrouble), settings.warmUpMs, onTrouble);
  index = new SeriesIndex(definitions);
  for (const place of damaged) reportDamaged(place);
  const current = openCurrent(budgets, namedLatest(definitions, latest), clock());
  const onDurable = noteInto(current, clock);
  const intake = openIntake(budgets, { index, commit: (batch) => thread.append(batch), onDurable });
  watchOpenPoints(budgets, openPoints, settings.maxHotPoints);

  /** Without any wait, unless a shared store has to number a series first. */
  const append = isShared
    ? createDefineFirst({ index, define: thread.define, append: (messages) => intake.append(messages) })
    : (messages: readonly TelemetryPoints[]) => intake.append(messages);

  /** Other nodes define series, too. */
  async function learnSeries(deviceIds: readonly string[]): Promise<void> {
    if (isShared && deviceIds.length > 0) index.learn(await thread.seriesOf([...new Set(deviceIds)]));
  }

  /** Damage with its place in terms that the caller knows. */
  function named(error: unknown): unknown {
    if (error instanceof AppError && error.code === "storage_unavailable") onTrouble(error);
    if (!(error instanceof DamagedPiece)) return error;
    reportDamaged(error.place);
    return refuseDamaged(damageAt(index, error.place));
  }

  const parts: SeriesParts = { index, thread, intake, current, isShared, clock, learnSeries, named };
  return {
    append,
    ...createHeldBack({ ...thread, append }),
    ...loadPoints(parts),
    ...queryPoints({ ...parts, quick, readers, oldestHour, answers }),
    ...knownValues(parts),
    ...deletePoints({ ...parts, append }),
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

function sharedNumber(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

function openAnswers(budgets: Pick<ByteBudgets, "watch">, bytes: number, changes: Int32Array): KeptAnswers | undefined {
  const answers = bytes > 0 ? createKeptAnswers(bytes, changes) : undefined;
  budgets.watch({ name: "kept_answers", limit: bytes, used: () => answers?.usedBytes() ?? 0 });
  return answers;
}

function noteInto(current: CurrentValues, clock: () => number): IntakeNeeds["onDurable"] {
  return (latest) => {
    const at = clock();
    for (const [series, snapshot] of latest) current.note(series, { snapshot, at, fits: takesPlace });
  };
}

function openIntake(budgets: Pick<ByteBudgets, "watch">, needs: IntakeNeeds): Intake {
  const intake = createIntake(needs);
  budgets.watch({ name: "telemetry_writes", limit: MAX_WAITING_BYTES, used: () => intake.waitingBytes });
  return intake;
}

function watchOpenPoints(budgets: Pick<ByteBudgets, "watch">, openPoints: Int32Array, most: number): void {
  const used = () => Atomics.load(openPoints, 0) * POINT_BYTES;
  budgets.watch({ name: "open_points", limit: most * POINT_BYTES, used });
}

async function openQuick(chunks: ChunkAddress): Promise<QuickReader> {
  const module = await loadChunkModule(chunks);
  return createQuickReader(await module.openReader(chunks.place, "small queries", chunks.copy));
}

function startWriter(workerData: WriterData): Worker {
  const file = new URL("./writer-worker.ts", import.meta.url);
  return new Worker(file, { ...THREAD_OPTIONS, workerData, name: "series writer" });
}

function deletePoints({
  index,
  thread,
  current,
  learnSeries,
  append,
}: SeriesParts & Pick<TelemetryStore, "append">): Pick<TelemetryStore, "deleteDevice" | "drop"> {
  return {
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
  };
}

function knownValues({
  index,
  thread,
  current,
  isShared,
  clock,
  learnSeries,
  named,
}: SeriesParts): Pick<TelemetryStore, "attributes" | "knownSeries" | "newestBefore" | "latest" | "current"> {
  return {
    async attributes(deviceIds) {
      await learnSeries(deviceIds);
      const namesOf = (deviceId: string) => new Set(index.ofDevice(deviceId).map(({ attribute }) => attribute));
      return new Map(deviceIds.map((deviceId) => [deviceId, [...namesOf(deviceId)]]));
    },
    knownSeries: () => index.size,
    async newestBefore(deviceId, before) {
      await learnSeries([deviceId]);
      const [first] = index.ofDevice(deviceId);
      const at =
        first &&
        (await thread.newestBefore(first.device, before).catch((error: unknown) => {
          throw named(error);
        }));
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
  };
}

function openCurrent(
  budgets: Pick<ByteBudgets, "open">,
  stored: Iterable<Snapshot & { readonly deviceId: string; readonly attribute: string }>,
  at: number,
): CurrentValues {
  const current = new CurrentValues(
    budgets.open("current_values", CURRENT_VALUES_BYTES),
    budgets.open("current_texts", CURRENT_TEXTS_BYTES),
  );
  for (const one of stored) current.note(one, { snapshot: one, at, fits: isLater });
  return current;
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
