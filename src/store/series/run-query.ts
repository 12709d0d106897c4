import type { RowBlock } from "#core/telemetry/row-block.ts";
import { RULES } from "./accumulators.ts";
import { BucketStream } from "./bucket-stream.ts";
import type { ChunkReader } from "./chunk-store.ts";
import type { Column } from "./column.ts";
import { type CursorSource, lastBefore, walkColumn } from "./column-cursor.ts";
import type { HotSeries } from "./engine.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { RowBlocks, type RowColumn } from "./row-blocks.ts";
import type { TimesCache } from "./times-cache.ts";

const SLICE_MS = 25;

export interface QueryRun {
  /** The next rows, valid until the next pull. Each pull sees one consistent view of the store. */
  pull(): { readonly block: RowBlock; readonly isLast: boolean };
}

interface RunNeeds {
  readonly reader: ChunkReader;
  readonly times: TimesCache;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

export function startQuery(
  { reader, times: cache, elapsed }: RunNeeds,
  query: SeriesQuery,
  hot: readonly HotSeries[],
): QueryRun {
  const bySeries = new Map(hot.map((one) => [one.series, one.columns]));
  let times = cache.view(reader);
  const source: CursorSource = { reader, view: () => times, times: (device, start) => times(device, start) };
  let rows: RowBlocks | undefined;
  return {
    pull() {
      times = cache.view(reader);
      if (rows === undefined) {
        const columns = query.items.map((item) =>
          columnOf(source, query, { item, hot: bySeries.get(item.series ?? -1) ?? [] }),
        );
        rows = new RowBlocks(columns, query);
      }
      const deadline = elapsed() + SLICE_MS;
      return rows.next(() => elapsed() >= deadline);
    },
  };
}

function columnOf(
  source: CursorSource,
  { from, to }: SeriesQuery,
  { item, hot }: { readonly item: SeriesItem; readonly hot: readonly Column[] },
): RowColumn {
  const { series, device, kind, aggregation, granularityMs, lookAroundMs } = item;
  const isSeries = series !== undefined;
  if (isSeries) source.reader.checkComplete(series, from - (lookAroundMs ?? 0), to);
  const bucketOf = (at: number) => Math.floor(at / granularityMs);
  const pieces = isSeries
    ? walkColumn(source, {
        series,
        device,
        kind,
        from,
        to,
        hot,
        summarizes: RULES[aggregation].summarizes,
        isOneBucket: (first, last) => bucketOf(first) === bucketOf(last),
        fitsBuckets: (grain) => granularityMs % grain === 0,
      })
    : [];
  const buckets = new BucketStream(pieces, item);
  if (lookAroundMs === undefined) return { buckets, granularity: granularityMs, fill: undefined };
  const before =
    isSeries && lookAroundMs > 0
      ? lastBefore(source, { series, device, kind, hot }, { from: from - lookAroundMs, before: from })
      : undefined;
  const { alone } = RULES[aggregation];
  const initial = before === undefined || alone === "value" ? before : alone;
  return { buckets, granularity: granularityMs, fill: { initial } };
}
