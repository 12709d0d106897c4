// The most rows that an answer can have, computed from the summaries alone.

import { itemAt } from "#core/item-at.ts";
import { isIntegral } from "#core/telemetry/aggregation.ts";
import type { ChunkCount, ChunkReader } from "./chunk-reader.ts";
import type { HotSeries } from "./engine.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "./query.ts";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Buckets of the epoch's grid that touch [from, to). */
function bucketsIn({ from, to }: Range, granularity: number): number {
  return Math.max(0, Math.ceil(to / granularity) - Math.floor(from / granularity));
}

/** An item of a known series, and the stored chunks that it may need. */
interface Counted {
  readonly item: SeriesItem & { readonly series: number };
  readonly chunks: readonly ChunkCount[];
}

const rangeOf = ({ from, to }: SeriesQuery, item: SeriesItem): Range => {
  const { before, after } = reachOf(item);
  // What a delta compares with gives no row.
  return { from: item.aggregation === "delta" ? from : from - before, to: to + after };
};

/** Whether buckets without points have rows, too. */
const isFilled = ({ lookAroundMs, aggregation }: SeriesItem) => lookAroundMs !== undefined || isIntegral(aggregation);

export async function rowBound(
  reader: Pick<ChunkReader, "counts">,
  query: SeriesQuery,
  hot: readonly HotSeries[],
): Promise<number> {
  const items = query.items.flatMap((item) => (item.series === undefined ? [] : [{ ...item, series: item.series }]));
  const counts = await reader.counts(
    items.map((item) => ({ device: item.device, series: item.series, ...rangeOf(query, item) })),
    query.since,
  );
  const counted = items.map((item, i): Counted => ({ item, chunks: counts[i] ?? [] }));
  const grids = new Map<number, number>();
  let calendarRows = 0;
  for (const some of Map.groupBy(counted, ({ item }) => gridName(item)).values()) {
    const { granularityMs: granularity = 1, calendar } = some[0]?.item ?? {};
    const devices = Map.groupBy(some, ({ item }) => item.device);
    const own = [...devices.values()].reduce((sum, columns) => sum + deviceBound(query, columns, hot), 0);
    const rows = Math.min(bucketsIn(query, granularity), own);
    if (calendar === undefined) grids.set(granularity, rows);
    else calendarRows += rows;
  }
  const full = [...grids].filter(([granularity, rows]) => rows === bucketsIn(query, granularity));
  let total = calendarRows;
  for (const [granularity, rows] of grids) {
    // If every bucket of a finer grid already has its row, a multiple of that grid adds none.
    const isCovered = full.some(([finer]) => finer < granularity && granularity % finer === 0);
    if (!isCovered) total += rows;
  }
  return total;
}

/** Items with the same buckets have the same name. */
function gridName({ granularityMs, calendar }: SeriesItem): string {
  return calendar === undefined ? String(granularityMs) : `${calendar.unit} ${calendar.timezone}`;
}

/** For columns of one device with the same buckets. Sealed ones share the times of their segment, and so their rows. */
function deviceBound(query: SeriesQuery, columns: readonly Counted[], hot: readonly HotSeries[]): number {
  const segments = new Map<number, { buckets: number; rows: number; points: number }>();
  let rows = 0;
  for (const { item, chunks } of columns) {
    const { series, granularityMs } = item;
    const range = rangeOf(query, item);
    const within = (stretch: Range) =>
      bucketsIn({ from: Math.max(range.from, stretch.from), to: Math.min(range.to, stretch.to) }, granularityMs);
    let own = 0;
    for (const { start, span, count, rows: all } of chunks) {
      const segment = segments.get(start) ?? {
        buckets: within({ from: start, to: start + span }),
        rows: all,
        points: 0,
      };
      segments.set(start, segment);
      segment.points += count;
      own += count;
    }
    for (const { columns } of hot.filter((one) => one.series === series)) {
      for (const { times, count } of columns) {
        const stretch = { from: itemAt(times, 0), to: itemAt(times, count - 1) + 1 };
        rows += Math.min(count, within(stretch));
        own += count;
      }
    }
    if (isFilled(item) && own > 0) return bucketsIn(query, granularityMs);
  }
  for (const segment of segments.values()) rows += Math.min(segment.buckets, segment.rows, segment.points);
  return rows;
}
