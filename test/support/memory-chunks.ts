// A chunk store in memory that behaves like one on a server: every answer comes a turn later, a query is sent only what
// it planned to read, and only a little of it at a time.
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import type { SeriesDefinition } from "#store/series/batch.ts";
import type { Chunk, ChunkHead, Latest, Segment, StoredSegment } from "#store/series/chunk.ts";
import type { ChunkReader, ChunkView, SeriesRange, SeriesReads, SmallChunk } from "#store/series/chunk-reader.ts";
import type { Changes, ChunkStore, DeviceDay } from "#store/series/chunk-store.ts";
import { areTimes } from "#store/series/codec/times.ts";
import type { HeldRow } from "#store/series/held-store.ts";

/** Chunks of a series that a view has. */
const WINDOW = 2;
const HEAVY_TEXT_BYTES = 32 * 1024 * 1024;
const HELD_BYTES_PER_DEVICE = 1024 * 1024;

interface State {
  readonly definitions: ReadonlyMap<number, SeriesDefinition>;
  readonly journal: ReadonlyMap<number, Uint8Array>;
  readonly segments: ReadonlyMap<string, Segment>;
  readonly chunks: ReadonlyMap<string, Chunk>;
  readonly latest: ReadonlyMap<number, Latest>;
  readonly held: readonly HeldRow[];
}

const keyOf = (number: number, start: number) => `${number}/${start}`;
const touches = ({ start, span }: { start: number; span: number }, from: number, to: number) =>
  start < to && start + span > from;
const byStart = (a: { start: number }, b: { start: number }) => a.start - b.start;

export function createMemoryChunks() {
  let state: State = {
    definitions: new Map(),
    journal: new Map(),
    segments: new Map(),
    chunks: new Map(),
    latest: new Map(),
    held: [],
  };
  let lastSequence = 0;
  let lastHeld = 0;

  const segmentsOf = (device: number, from: number, to: number) =>
    [...state.segments.values()].filter((one) => one.device === device && touches(one, from, to)).sort(byStart);
  const chunksOf = (series: number) => [...state.chunks.values()].filter((one) => one.series === series).sort(byStart);
  const deviceOf = (series: number) => state.definitions.get(series)?.device ?? -1;

  function apply(changes: Changes): readonly number[] {
    const definitions = new Map(state.definitions);
    for (const one of changes.definitions ?? []) if (!definitions.has(one.series)) definitions.set(one.series, one);
    let segments = [...state.segments.values()];
    let chunks = [...state.chunks.values()];
    let latest = [...state.latest.values()];
    const isOf = (device: number | undefined) => (one: { readonly series: number }) =>
      definitions.get(one.series)?.device === device;
    if (changes.deletedDevice !== undefined) {
      const isDeleted = isOf(changes.deletedDevice);
      segments = segments.filter((one) => one.device !== changes.deletedDevice);
      chunks = chunks.filter((one) => !isDeleted(one));
      latest = latest.filter((one) => !isDeleted(one));
    }
    for (const { device, start } of changes.deletedSegments ?? []) {
      segments = segments.filter((one) => one.device !== device || one.start !== start);
      chunks = chunks.filter((one) => one.start !== start || !isOf(device)(one));
    }
    for (const added of changes.segments ?? []) {
      segments.push({ ...added.segment });
      for (const chunk of added.chunks) chunks.push({ ...chunk });
    }
    for (const one of changes.latest ?? []) latest.push({ ...one });
    const batches = changes.journal ?? [];
    const sequences = batches.map((_, i) => lastSequence + 1 + i);
    const journal = new Map(state.journal);
    for (const [i, batch] of batches.entries()) journal.set(lastSequence + 1 + i, batch.slice());
    for (const sequence of changes.setAside ?? []) journal.delete(sequence);
    for (const sequence of journal.keys()) if (sequence < (changes.trimBefore ?? 0)) journal.delete(sequence);
    state = {
      ...state,
      definitions,
      journal,
      segments: new Map(segments.map((one) => [keyOf(one.device, one.start), one])),
      chunks: new Map(chunks.map((one) => [keyOf(one.series, one.start), one])),
      latest: new Map(latest.map((one) => [one.series, one])),
    };
    lastSequence += batches.length;
    return sequences;
  }

  function textBytes({ device, day }: DeviceDay): number {
    let bytes = 0;
    for (const { series, start, values } of state.chunks.values()) {
      const { device: own, kind } = state.definitions.get(series) ?? {};
      const isThere = start >= day * DAY_MS && start < (day + 1) * DAY_MS;
      if (own === device && kind === "text" && isThere) bytes += values.length;
    }
    return bytes;
  }

  function openStore(): ChunkStore {
    const later = createLater("the store is closed");
    const skipped = new Set<string>();
    const earlierHeld = lastHeld;
    const setHeld = (held: readonly HeldRow[]) => {
      state = { ...state, held };
    };
    return {
      definitions: () => later(() => [...state.definitions.values()]),
      latest: () => later(() => [...state.latest.values()]),
      async *journal() {
        for (const [sequence, batch] of state.journal) yield await later(() => ({ sequence, batch }));
      },
      commit: (changes) => later(() => apply(changes)),
      findSegments: (device, from, to) =>
        later(() => segmentsOf(device, from, to).map(({ start, span }) => ({ device, start, span }))),
      countChunks: () => later(() => state.chunks.size),
      space: () => later(() => undefined),
      newestSegment: (device, before) =>
        later(() =>
          segmentsOf(device, Number.NEGATIVE_INFINITY, before)
            .map(({ start, span }) => ({ device, start, span }))
            .at(-1),
        ),
      readSegments: (device, from, to) =>
        later(() =>
          segmentsOf(device, from, to).map((segment): StoredSegment => {
            const own = [...state.chunks.values()].filter((one) => one.start === segment.start);
            const chunks = own.filter(({ series }) => deviceOf(series) === device);
            return { segment, chunks: chunks.sort((a, b) => a.series - b.series) };
          }),
        ),
      dayToCompact: (before) =>
        later(() =>
          [...state.segments.values()]
            .filter(({ span, start }) => span === HOUR_MS && start < before)
            .map(({ device, start }): DeviceDay => ({ device, day: Math.floor(start / DAY_MS) }))
            .sort((a, b) => a.day - b.day || a.device - b.device)
            .find((one) => !skipped.has(keyOf(one.device, one.day)) && textBytes(one) <= HEAVY_TEXT_BYTES),
        ),
      skipDay: ({ device, day }) => void skipped.add(keyOf(device, day)),
      drop: ({ series, devices }, before, limit) =>
        later(() => {
          const dropped = series
            .flatMap((one) => chunksOf(one).filter(({ start, span }) => start + span <= before))
            .slice(0, limit);
          const chunks = new Map(state.chunks);
          for (const one of dropped) chunks.delete(keyOf(one.series, one.start));
          const used = new Set([...chunks.values()].map((one) => keyOf(deviceOf(one.series), one.start)));
          const segments = new Map(state.segments);
          for (const [key, { device, start, span }] of segments) {
            if (devices.includes(device) && start + span <= before && !used.has(key)) segments.delete(key);
          }
          state = { ...state, chunks, segments: dropped.length > 0 ? segments : state.segments };
          return dropped.length;
        }),
      held: {
        put: (points) =>
          later(() => {
            for (const point of points) {
              const own = state.held.filter(({ deviceId }) => deviceId === point.deviceId);
              const used = own.reduce((sum, { values }) => sum + values.length, 0);
              if (used + point.values.length > HELD_BYTES_PER_DEVICE) continue;
              setHeld([...state.held, { ...point, id: ++lastHeld }]);
            }
          }),
        shift: (byMs) =>
          later(() =>
            setHeld(
              state.held.map((row) => (row.id > earlierHeld ? { ...row, arrivedAt: row.arrivedAt + byMs } : row)),
            ),
          ),
        releasable: () => later(() => state.held.filter(({ at, arrivedAt }) => at <= arrivedAt + DAY_MS)),
        remove: (rows) => later(() => setHeld(state.held.filter(({ id }) => !rows.some((row) => row.id === id)))),
        deleteDevice: (deviceId) => later(() => setHeld(state.held.filter((row) => row.deviceId !== deviceId))),
      },
      scrub: () => later(() => {}),
      close: () => later.close(),
    };
  }

  /** Sends what a query planned to read, from one state of the store. */
  function fetch(reads: readonly SeriesReads[], isFirst: boolean): ChunkView {
    const { segments } = state;
    const windows = new Map<SeriesReads, { readonly heads: readonly Chunk[]; readonly isAll: boolean }>();
    const before = new Map<SeriesReads, readonly Chunk[]>();
    const parts = new Map<string, Uint8Array>();
    const contents = new Map<string, Chunk>();
    const places = new Map<string, Segment | undefined>();
    const send = (one: SeriesReads, chunk: Chunk) => {
      const key = keyOf(chunk.series, chunk.start);
      const wanted = one.wanted(headOf(chunk));
      if (wanted.parts) parts.set(key, chunk.parts);
      if (!wanted.content) return;
      contents.set(key, chunk);
      const place = keyOf(one.device, chunk.start);
      places.set(place, segments.get(place));
    };
    for (const one of reads) {
      const all = chunksOf(one.series);
      const left = all.filter((chunk) => touches(chunk, one.at, one.to));
      windows.set(one, { heads: left.slice(0, WINDOW), isAll: left.length <= WINDOW });
      for (const chunk of left.slice(0, WINDOW)) send(one, chunk);
      if (!isFirst || one.lookBack === undefined) continue;
      const last = all.filter(({ start }) => start < one.from).slice(-2);
      before.set(one, last.reverse());
      for (const chunk of last) send(one, chunk);
    }
    return {
      nextChunks(one, at) {
        const { heads, isAll } = planned(windows.get(one), "chunks");
        const left = heads.filter(({ start, span }) => start + span > at).map(headOf);
        return left.length > 0 || isAll ? left : undefined;
      },
      lastChunks: (one) => planned(before.get(one), "last chunks").map(headOf),
      content({ series, start }) {
        const { presence, values } = planned(contents.get(keyOf(series, start)), "content");
        return { presence, values };
      },
      parts: ({ series, start }) => planned(parts.get(keyOf(series, start)), "parts"),
      segment(device, start) {
        planned(places.has(keyOf(device, start)) || undefined, "segment");
        return places.get(keyOf(device, start));
      },
    };
  }

  function smallChunk(chunk: Chunk): SmallChunk {
    const { presence, values, summary } = chunk;
    const segment = areTimes(presence) ? undefined : state.segments.get(keyOf(deviceOf(chunk.series), chunk.start));
    return { count: summary.count, presence, values, segment };
  }

  function openReader(): ChunkReader {
    const later = createLater("the reader is closed");
    const touching = ({ series, from, to }: SeriesRange) =>
      chunksOf(series).filter((chunk) => touches(chunk, from, to));
    return {
      open(reads) {
        let isFirst = true;
        return {
          async view(use) {
            const view = await later(() => fetch(reads, isFirst));
            isFirst = false;
            return use(view);
          },
        };
      },
      counts: (ranges) =>
        later(() =>
          ranges.map((range) =>
            touching(range).map(({ series, start, span, summary }) => {
              const rows = state.segments.get(keyOf(deviceOf(series), start))?.rows ?? 0;
              return { start, span, count: summary.count, rows };
            }),
          ),
        ),
      smallChunks: (range, limits) =>
        later(() => {
          const found = touching(range);
          const points = found.reduce((sum, { summary }) => sum + summary.count, 0);
          const bytes = found.reduce((sum, { presence, values }) => sum + presence.length + values.length, 0);
          const isSmall = found.length <= limits.chunks && points <= limits.points && bytes <= limits.bytes;
          return isSmall ? found.map(smallChunk) : undefined;
        }),
      close: () => later.close(),
    };
  }

  return { openStore, openReader };
}

function headOf({ series, start, span, summary, grain, held }: Chunk): ChunkHead {
  return { series, start, span, summary, grain, held };
}

function planned<Piece>(piece: Piece | undefined, what: string): Piece {
  if (piece === undefined) throw new Error(`this view has no such ${what}: nobody planned to read them`);
  return piece;
}

/** The work is done now, and its answer comes a turn later. */
function createLater(closed: string) {
  let isClosed = false;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  async function later<Result>(work: () => Result): Promise<Result> {
    if (isClosed) throw new Error(closed);
    const result = work();
    await turn();
    return result;
  }
  const close = async () => {
    isClosed = true;
    await turn();
  };
  return Object.assign(later, { close });
}
