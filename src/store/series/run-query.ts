import { isIntegral } from "#core/telemetry/aggregation.ts";
import type { RowBlock } from "#core/telemetry/row-block.ts";
import { fixedGrid } from "#core/time/bucket-grid.ts";
import { calendarGrid } from "#core/time/calendar.ts";
import { RULES } from "./accumulators.ts";
import type { BucketBlock } from "./bucket-block.ts";
import { BucketStream } from "./bucket-stream.ts";
import type { ChunkReader, ChunkView } from "./chunk-reader.ts";
import type { Column } from "./column.ts";
import {
  type ColumnCursor,
  type CursorSource,
  type LastPoint,
  lastBefore,
  openCursor,
  type Walk,
} from "./column-cursor.ts";
import type { HotSeries } from "./engine.ts";
import type { FinishedCache } from "./finished-buckets.ts";
import { openFinished } from "./finished-stream.ts";
import { IntegralStream } from "./integral-stream.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "./query.ts";
import { RowBlocks, type RowColumn } from "./row-blocks.ts";
import type { OpenPoints } from "./series-writer.ts";
import { sharedSeries, shareParts } from "./share-parts.ts";
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
  /** Undefined: every bucket is computed. */
  readonly finished?: FinishedCache | undefined;
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
  { reader, times: cache, finished, elapsed }: RunNeeds,
  query: SeriesQuery,
  hot: readonly HotSeries[],
): QueryRun {
  const bySeries = new Map(hot.map((one) => [one.series, one.columns]));
  const source: CursorSource = { current: NOTHING_READ };
  const columns = query.items.map((item) => openColumn(source, query, item, bySeries.get(item.series ?? -1) ?? []));
  const reads = columns.flatMap(({ cursor }) => (cursor === undefined ? [] : [cursor.reads]));
  const reading = reader.open(reads, query.since);
  let rows: RowBlocks | undefined;
  const shared = sharedSeries(query.items);
  const read = (opened: ChunkView): Pulled => {
    const view = shareParts(opened, shared);
    source.current = { view, times: cache.view(view) };
    rows ??= new RowBlocks(
      columns.map((column) => rowColumn(source, query, { ...column, finished })),
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

function openColumn(source: CursorSource, { from, to }: Range, item: SeriesItem, hot: readonly Column[]): OpenColumn {
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
    ...(aggregation === "delta" ? deltaRules(item, { from, to }) : bucketRules(item)),
    triesParts: aggregation === "delta",
    heldUntil: isIntegral(aggregation) ? to : undefined,
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

/**
 * A summary stands for points that count, or for points before them. Parts do not have the times of their points: only of a
 * whole chunk the last time is known.
 */
function deltaRules(item: SeriesItem, { from, to }: Range): Pick<Walk, "isOneBucket" | "fitsBuckets"> {
  const { isOneBucket, fitsBuckets } = bucketRules(item);
  return {
    isOneBucket: (first, last) => isOneBucket(first, last) && (first >= from || last < from),
    fitsBuckets: (grain, start, end) => start >= from && end <= to && fitsBuckets(grain, start, end),
  };
}

function rowColumn(
  source: CursorSource,
  query: SeriesQuery,
  column: OpenColumn & { readonly finished: FinishedCache | undefined },
): RowColumn {
  const { item, hot, finished: cache } = column;
  const { aggregation, granularityMs: granularity, calendar, lookAroundMs } = item;
  const compute = (range: Range) => bucketsOf(source, range, { ...column, ...openColumn(source, range, item, hot) });
  const isNumber = isIntegral(aggregation) || RULES[aggregation].kind(item.kind) === "number";
  const finished =
    isNumber && cache && openFinished({ cache, item, range: query, hot, view: source.current.view, compute });
  const buckets = finished || bucketsOf(source, query, column);
  const grid = calendar && calendarGrid(calendar);
  const alone = isIntegral(aggregation) ? undefined : RULES[aggregation].alone;
  if (lookAroundMs === undefined || alone === undefined) return { buckets, granularity, grid, fill: undefined };
  const before = lastPoint(source, column);
  return { buckets, granularity, grid, fill: { initial: alone === "value" ? before?.value : before && alone } };
}

type Range = Pick<SeriesQuery, "from" | "to">;

function bucketsOf(source: CursorSource, { from, to }: Range, column: OpenColumn): BucketBlock {
  const { item, cursor } = column;
  const { aggregation, granularityMs, calendar } = item;
  const pieces = cursor?.pieces ?? [];
  const grid = calendar && calendarGrid(calendar);
  if (isIntegral(aggregation)) {
    const before = lastPoint(source, column);
    return new IntegralStream(pieces, { from, to, grid: grid ?? fixedGrid(granularityMs), before, part: aggregation });
  }
  const before = aggregation === "delta" ? lastPoint(source, column) : undefined;
  return new BucketStream(pieces, { ...item, aggregation, grid, before, from });
}

/** Before what the column reads, as far as it looks back. */
function lastPoint(source: CursorSource, { item: { kind }, hot, cursor }: OpenColumn): LastPoint | undefined {
  return cursor?.reads.lookBack === undefined ? undefined : lastBefore(source, cursor.reads, { kind, hot });
}
