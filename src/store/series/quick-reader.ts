// Answers small questions about sealed hours on the thread that asks: there the way to a reading thread and back would take longer
// than the answer itself.
//
// What it may cost is bounded before anything is decoded: the thread that asks has other callers.
import { CsvBytes } from "#core/telemetry/csv-bytes.ts";
import { Connection } from "#store/sqlite/connection.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { startQuery } from "./run-query.ts";
import { createSqliteReader } from "./sqlite/sqlite-reader.ts";
import { createTimesCache } from "./times-cache.ts";

const MAX_ITEMS = 4;
const MAX_RANGE_MS = 48 * 3_600_000;
/** Of all items together. */
const MAX_ROWS = 2_000;
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
  const needs = { reader, times: createTimesCache(0), csv: new CsvBytes(), elapsed: () => performance.now() };

  let isClosed = false;

  function isSmall({ from, to, items }: SeriesQuery): boolean {
    let [points, bytes] = [0, 0];
    for (const { series, lookAroundMs = 0 } of items) {
      if (series === undefined) continue;
      const extent = reader.extent(series, from - lookAroundMs, to);
      points += extent.points;
      bytes += extent.bytes;
    }
    return points <= MAX_POINTS && bytes <= MAX_BYTES;
  }

  return {
    answer(query) {
      if (isClosed || !looksSmall(query)) return undefined;
      return database.snapshot(() => {
        if (!isSmall(query)) return undefined;
        // Few texts may still be many bytes, once they are carried on.
        const { bytes, done } = startQuery(needs, query, []).pull();
        return done ? bytes : undefined;
      });
    },
    close() {
      isClosed = true;
      database.close();
    },
  };
}

/** By the question alone. */
function looksSmall({ from, to, items }: SeriesQuery): boolean {
  const reach = (item: SeriesItem) => to - from + (item.lookAroundMs ?? 0);
  const rows = items.reduce((sum, { granularityMs }) => sum + (to - from) / granularityMs + 1, 0);
  return items.length <= MAX_ITEMS && rows <= MAX_ROWS && items.every((item) => reach(item) <= MAX_RANGE_MS);
}
