// How many rows an answer can have at most, told by the summaries alone.
import type { HotSeries } from "./engine.ts";
import type { KeeperReader } from "./keeper.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Buckets of the epoch's grid that touch [from, to). */
function bucketsIn({ from, to }: Range, granularity: number): number {
  return Math.max(0, Math.ceil(to / granularity) - Math.floor(from / granularity));
}

export function rowBound(reader: KeeperReader, query: SeriesQuery, hot: readonly HotSeries[]): number {
  const grids = new Map<number, number>();
  for (const item of query.items) {
    const buckets = bucketsIn(query, item.granularityMs);
    const own = columnBound(reader, query, { item, hot });
    grids.set(item.granularityMs, Math.min(buckets, (grids.get(item.granularityMs) ?? 0) + own));
  }
  const full = [...grids].filter(([granularity, rows]) => rows === bucketsIn(query, granularity));
  let total = 0;
  for (const [granularity, rows] of grids) {
    // Where every bucket of a finer grid has its row already, a multiple of it adds none.
    const isCovered = full.some(([finer]) => finer < granularity && granularity % finer === 0);
    if (!isCovered) total += rows;
  }
  return total;
}

function columnBound(
  reader: KeeperReader,
  { from, to }: SeriesQuery,
  { item, hot }: { readonly item: SeriesItem; readonly hot: readonly HotSeries[] },
): number {
  const { series, granularityMs, lookAroundMs } = item;
  if (series === undefined) return 0;
  const isFilled = lookAroundMs !== undefined;
  const range = { from: from - (lookAroundMs ?? 0), to };
  let rows = 0;
  const add = (stretch: Range, count: number) => {
    const shared = { from: Math.max(range.from, stretch.from), to: Math.min(range.to, stretch.to) };
    rows += Math.min(count, bucketsIn(shared, granularityMs));
  };
  for (const { start, span, count } of reader.counts(series, range.from, to)) {
    add({ from: start, to: start + span }, count);
  }
  for (const { columns } of hot.filter((one) => one.series === series)) {
    for (const { times, count } of columns) add({ from: times[0] ?? 0, to: (times[count - 1] ?? 0) + 1 }, count);
  }
  return isFilled && rows > 0 ? bucketsIn({ from, to }, granularityMs) : rows;
}
