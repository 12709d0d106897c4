import { isIntegral } from "#core/telemetry/aggregation.ts";
import type { RowBlock } from "#core/telemetry/row-block.ts";
import { fixedGrid } from "#core/time/bucket-grid.ts";
import { calendarGrid } from "#core/time/calendar.ts";
import { RULES } from "./accumulators.ts";
import { BucketStream } from "./bucket-stream.ts";
import type { ChunkReader, ChunkView } from "./chunk-reader.ts";
import type { Column } from "./column.ts";
import { type ColumnCursor, type CursorSource, lastBefore, openCursor, type Walk } from "./column-cursor.ts";
import type { HotSeries } from "./engine.ts";
import { IntegralStream } from "./integral-stream.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "./query.ts";
import { RowBlocks, type RowColumn } from "./row-blocks.ts";
import type { OpenPoints } from "./series-writer.ts";
import type { TimesCache } from "./times-cache.ts";

const SLICE_MS = 25;

interface Pulled {
  readonly block: RowBlock;
  readonly isLast: boolean;
}

export interface QueryRun {
  /** The next rows, valid until the next pull. */
  pull(): Promise<Pulled>;
}

interface RunNeeds {
  readonly reader: Pick<ChunkReader, "open" | "early">;
  readonly times: TimesCache;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** Begins to read chunks before the unsealed points are known, where the store takes a while for both. */
export function startEarly(needs: RunNeeds, query: SeriesQuery, points: Promise<OpenPoints>): QueryRun {
  const planned = query.items.flatMap((item) => openColumn({ current: NOTHING_READ }, query, item, []).cursor ?? []);
  const reader = needs.reader.early?.(planned.map(({ reads }) => reads)) ?? needs.reader;
  const started = points.then(({ hot, state }) => startQuery({ ...needs, reader }, { ...query, since: state }, hot));
  // Whoever pulls gets the error.
  started.catch(() => {});
  return { pull: async () => (await started).pull() };
}

export function startQuery(
  { reader, times: cache, elapsed }: RunNeeds,
  query: SeriesQuery,
  hot: readonly HotSeries[],
): QueryRun {
  const bySeries = new Map(hot.map((one) => [one.series, one.columns]));
  const source: CursorSource = { current: NOTHING_READ };
  const columns = query.items.map((item) => openColumn(source, query, item, bySeries.get(item.series ?? -1) ?? []));
  const reads = columns.flatMap(({ cursor }) => (cursor === undefined ? [] : [cursor.reads]));
  const reading = reader.open(reads, query.since);
  let rows: RowBlocks | undefined;
  const read = (view: ChunkView): Pulled => {
    source.current = { view, times: cache.view(view) };
    rows ??= new RowBlocks(
      columns.map((column) => rowColumn(source, query, column)),
      query,
    );
    const deadline = elapsed() + SLICE_MS;
    return rows.next(() => elapsed() >= deadline);
  };
  return {
    async pull() {
      // A view that a server sends may end before the first row.
      for (;;) {
        const pulled = await reading.view(read);
        if (pulled.block.count > 0 || pulled.isLast) return pulled;
      }
    },
  };
}

const nothing = () => {
  throw new Error("no view of the store is open");
};
const NOTHING_READ: CursorSource["current"] = {
  view: { nextChunks: nothing, lastChunks: nothing, content: nothing, parts: nothing, segment: nothing },
  times: nothing,
};

interface OpenColumn {
  readonly item: SeriesItem;
  readonly hot: readonly Column[];
  /** Undefined when the device has never sent the attribute. */
  readonly cursor: ColumnCursor | undefined;
}

function openColumn(
  source: CursorSource,
  { from, to }: SeriesQuery,
  item: SeriesItem,
  hot: readonly Column[],
): OpenColumn {
  const { series, device, kind, aggregation } = item;
  if (series === undefined) return { item, hot, cursor: undefined };
  const { before, after, replayed } = reachOf(item);
  const cursor = openCursor(source, {
    series,
    device,
    kind,
    from: from - replayed,
    to: to + after,
    lookBack: before === 0 ? undefined : from - before,
    hot,
    summarizes: isIntegral(aggregation) ? () => false : RULES[aggregation].summarizes,
    ...(aggregation === "delta" ? deltaRules(item, from) : bucketRules(item)),
  });
  return { item, hot, cursor };
}

/** What summaries may stand for. */
function bucketRules({ granularityMs, calendar }: SeriesItem): Pick<Walk, "isOneBucket" | "fitsBuckets"> {
  if (calendar === undefined) {
    const bucketOf = (at: number) => Math.floor(at / granularityMs);
    return {
      isOneBucket: (first, last) => bucketOf(first) === bucketOf(last),
      fitsBuckets: (grain) => granularityMs % grain === 0,
    };
  }
  const grid = calendarGrid(calendar);
  return {
    isOneBucket: (first, last) => last < grid.bucketAt(first).end,
    fitsBuckets(grain, from, to) {
      for (let at = from; at < to; ) {
        at = grid.bucketAt(at).end;
        if (at < to && at % grain !== 0) return false;
      }
      return true;
    },
  };
}

/** A summary stands for points that count, or for points before them. Parts do not have the times of their points. */
function deltaRules(item: SeriesItem, from: number): Pick<Walk, "isOneBucket" | "fitsBuckets"> {
  const { isOneBucket } = bucketRules(item);
  return {
    isOneBucket: (first, last) => isOneBucket(first, last) && (first >= from || last < from),
    fitsBuckets: () => false,
  };
}

function rowColumn(source: CursorSource, { from, to }: SeriesQuery, { item, hot, cursor }: OpenColumn): RowColumn {
  const { kind, aggregation, granularityMs: granularity, calendar, lookAroundMs } = item;
  const before = cursor?.reads.lookBack === undefined ? undefined : lastBefore(source, cursor.reads, { kind, hot });
  const pieces = cursor?.pieces ?? [];
  const grid = calendar && calendarGrid(calendar);
  if (isIntegral(aggregation)) {
    const asked = { from, to, grid: grid ?? fixedGrid(granularity), before, part: aggregation };
    const buckets = new IntegralStream(pieces, asked);
    return { buckets, granularity, grid, fill: undefined };
  }
  const { alone } = RULES[aggregation];
  const buckets = new BucketStream(pieces, { ...item, aggregation, grid, before, from });
  if (lookAroundMs === undefined || alone === undefined) return { buckets, granularity, grid, fill: undefined };
  const initial = before === undefined || alone === "value" ? before?.value : alone;
  return { buckets, granularity, grid, fill: { initial } };
}
