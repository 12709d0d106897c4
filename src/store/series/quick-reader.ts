// Answers small queries about sealed hours on the calling thread, where the way to a reading thread and back would take
// longer than the answer itself.
//
// The cost is bounded before anything is decoded, because the calling thread has other callers. The points of a series
// come from one state of the store. After that they are columns in memory, like those of an unsealed hour.
import type { RowBlock } from "#core/telemetry/row-block.ts";
import type { Awaitable } from "#store/awaitable.ts";
import type { ChunkReader, ChunkView, SmallChunk, StoreState } from "./chunk-reader.ts";
import type { Column } from "./column.ts";
import type { HotSeries } from "./engine.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "./query.ts";
import { startQuery } from "./run-query.ts";
import { decodeChunk, decodeSegmentTimes } from "./segment-codec.ts";
import type { OpenPoints } from "./series-writer.ts";
import { createTimesCache } from "./times-cache.ts";

const MAX_ITEMS = 4;
const MAX_RANGE_MS = 48 * 3_600_000;
/** Limit for all items together. */
const MAX_ROWS = 2_000;
/** Limits for each series. */
const LIMITS = { chunks: 8, points: 2_000, bytes: 32 * 1024 };

export interface QuickReader {
  /** Whether an answer may be expected, judged by the query alone. */
  looksSmall(query: SeriesQuery): boolean;
  /**
   * All rows, or undefined when they may cost too much or the reader is closed. Where it is not known yet which points are
   * unsealed, chunks are read meanwhile; then undefined also means that there are some.
   */
  answer(query: SeriesQuery, points?: Promise<OpenPoints>): Promise<RowBlock | undefined>;
  close(): Promise<void>;
}

export function createQuickReader(reader: Pick<ChunkReader, "smallChunks" | "close">): QuickReader {
  const needs = {
    reader: NO_CHUNKS,
    times: createTimesCache(0),
    elapsed: () => performance.now(),
  };
  let isClosed = false;

  /** The points of every series in the query; undefined when there are too many. */
  async function readColumns(
    { from, to, items }: SeriesQuery,
    since: Awaitable<StoreState> | undefined,
  ): Promise<readonly HotSeries[] | undefined> {
    const found: HotSeries[] = [];
    for (const { device, series, kind } of items) {
      if (series === undefined || found.some((one) => one.series === series)) continue;
      const reaches = items.filter((item) => item.series === series).map(reachOf);
      const within = {
        from: from - Math.max(...reaches.map(({ before }) => before)),
        to: to + Math.max(...reaches.map(({ after }) => after)),
      };
      const chunks = await reader.smallChunks({ device, series, ...within }, LIMITS, since);
      if (chunks === undefined) return undefined;
      found.push({ series, columns: chunks.map((chunk) => columnOf(kind, chunk, within)) });
    }
    return found;
  }

  return {
    looksSmall,
    async answer(query, points) {
      if (isClosed || !looksSmall(query)) return undefined;
      const since = points?.then(({ state }) => state);
      // A store that fails before does not ask for it.
      since?.catch(() => {});
      const columns = await readColumns(query, since ?? query.since);
      if (columns === undefined || (points !== undefined && !isNothing((await points).hot))) return undefined;
      // A few texts may still be many bytes, once gap filling repeats them.
      const { block, isLast } = await startQuery(needs, query, columns).pull();
      return isLast ? block : undefined;
    },
    async close() {
      isClosed = true;
      await reader.close();
    },
  };
}

function columnOf(
  kind: Column["kind"],
  { count, presence, values, segment }: SmallChunk,
  within: { readonly from: number; readonly to: number },
): Column {
  const times = () => (segment === undefined ? new Float64Array(0) : decodeSegmentTimes(segment));
  return decodeChunk(kind, { summary: { count }, presence, values }, { times, within });
}

const noChunk = () => {
  throw new Error("there are no chunks here");
};
/** A store that has no sealed points. */
const EMPTY: ChunkView = {
  nextChunks: () => [],
  lastChunks: () => [],
  segment: () => undefined,
  content: noChunk,
  parts: noChunk,
};
const NO_CHUNKS: Pick<ChunkReader, "open"> = { open: () => ({ view: (use) => use(EMPTY) }) };

/** Whether no series has unsealed points. */
export function isNothing(hot: readonly HotSeries[]): boolean {
  return hot.every(({ columns }) => columns.length === 0);
}

function looksSmall({ from, to, items }: SeriesQuery): boolean {
  const reach = (item: SeriesItem) => to - from + reachOf(item).before + reachOf(item).after;
  const rows = items.reduce((sum, { granularityMs }) => sum + (to - from) / granularityMs + 1, 0);
  return items.length <= MAX_ITEMS && rows <= MAX_ROWS && items.every((item) => reach(item) <= MAX_RANGE_MS);
}
