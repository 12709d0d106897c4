// Answers small questions about sealed hours on the thread that asks: there the way to a reading thread and back would take longer
// than the answer itself.
//
// What it may cost is bounded before anything is decoded: the thread that asks has other callers.
import { CsvBytes } from "#core/telemetry/csv-bytes.ts";
import { Connection } from "#store/sqlite/connection.ts";
import type { KeeperReader, StoredHead } from "./keeper.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { startQuery } from "./run-query.ts";
import { createSqliteReader } from "./sqlite/sqlite-reader.ts";
import { createTimesCache } from "./times-cache.ts";

const MAX_ITEMS = 4;
const MAX_RANGE_MS = 48 * 3_600_000;
/** Of all items together. */
const MAX_ROWS = 2_000;
const MAX_CHUNKS = 8;
const MAX_POINTS = 2_000;
const MAX_BYTES = 32 * 1024;

export interface QuickReader {
  /** All rows, or undefined when they may cost too much or the reader is closed. */
  answer(query: SeriesQuery): Uint8Array | undefined;
  close(): void;
}

export function openQuickReader(file: string): QuickReader {
  const database = new Connection(file, "read", 1);
  const reader = createSqliteReader(database);
  const needs = { times: createTimesCache(0), csv: new CsvBytes(), elapsed: () => performance.now() };
  let isClosed = false;

  /** The heads of all chunks that the answer needs, or undefined when there is too much behind them. */
  function smallHeads({ from, to, items }: SeriesQuery): Heads | undefined {
    const heads: Heads = new Map();
    let [points, bytes] = [0, 0];
    for (const { series, lookAroundMs = 0 } of items) {
      if (series === undefined) continue;
      const found = reader.nextChunks(series, from - lookAroundMs, to);
      for (const head of found) {
        points += head.summary.count;
        bytes += head.bytes;
      }
      if (found.length > MAX_CHUNKS || points > MAX_POINTS || bytes > MAX_BYTES) return undefined;
      heads.set(series, found);
    }
    return heads;
  }

  return {
    answer(query) {
      if (isClosed || !looksSmall(query)) return undefined;
      return database.snapshot(() => {
        const heads = smallHeads(query);
        if (heads === undefined) return undefined;
        // Few texts may still be many bytes, once they are carried on.
        const { bytes, done } = startQuery({ ...needs, reader: withHeads(reader, heads) }, query, []).pull();
        return done ? bytes : undefined;
      });
    },
    close() {
      isClosed = true;
      database.close();
    },
  };
}

type Heads = Map<number, readonly StoredHead[]>;

/** The same reader, which has read these heads already. */
function withHeads(reader: KeeperReader, heads: Heads): KeeperReader {
  const of = (series: number) => heads.get(series) ?? [];
  return {
    ...reader,
    nextChunks: (series, at, before) => of(series).filter(({ start, span }) => start < before && start + span > at),
    lastChunk: (series, at) => of(series).findLast(({ start }) => start < at),
  };
}

/** By the question alone. */
function looksSmall({ from, to, items }: SeriesQuery): boolean {
  const reach = (item: SeriesItem) => to - from + (item.lookAroundMs ?? 0);
  const rows = items.reduce((sum, { granularityMs }) => sum + (to - from) / granularityMs + 1, 0);
  return items.length <= MAX_ITEMS && rows <= MAX_ROWS && items.every((item) => reach(item) <= MAX_RANGE_MS);
}
