// The buckets of a column of which some are known already: these are copied, the others are computed and then kept.
//
// The counts of changes say whether a bucket is still right: those of the stretch in which it starts, and of the others that it
// depends on. An integral looks at the points around it, a delta at the hour and at the last point before it, and a bucket of
// a calendar may end in the next stretch.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { isIntegral } from "#core/telemetry/aggregation.ts";
import { type BucketGrid, fixedGrid } from "#core/time/bucket-grid.ts";
import { calendarGrid } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { BLOCK, BucketBlock } from "./bucket-block.ts";
import { CHANGES_MS, type ChunkView } from "./chunk-reader.ts";
import { type Column, lowerBound } from "./column.ts";
import { columnKey, type FinishedBuckets, type FinishedCache } from "./finished-buckets.ts";
import { HELD_MS, type SeriesItem } from "./query.ts";

/** Shorter buckets are hardly fewer than points, and longer ones are read from the summaries of days. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 2 * DAY_MS;
/** More of one stretch are not kept: eleven days by the minute. */
const MOST_KEPT = 16_384;

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Asked {
  readonly cache: FinishedCache;
  readonly item: SeriesItem;
  readonly range: Range;
  /** The unsealed points of the series. */
  readonly hot: readonly Column[];
  readonly view: Pick<ChunkView, "changes">;
  readonly compute: (range: Range) => BucketBlock;
}

/** Undefined where nothing of the column can be kept. */
export function openFinished({ cache, item, range, hot, view, compute }: Asked): BucketBlock | undefined {
  const { series, granularityMs, aggregation, calendar } = item;
  if (series === undefined || view.changes === undefined) return undefined;
  if (granularityMs < SHORTEST_MS || granularityMs > LONGEST_MS) return undefined;
  const grid = calendar === undefined ? fixedGrid(granularityMs) : calendarGrid(calendar);
  const reach = isIntegral(aggregation) ? HELD_MS : 0;
  const whole = {
    from: borderFrom(grid, range.from),
    to: borderUntil(grid, Math.min(range.to, firstTime(hot) - reach)),
  };
  if (whole.from >= whole.to) return undefined;
  const stretches = { first: stretchOf(whole.from), last: stretchOf(whole.to - 1) };
  const column: KeptColumn = {
    cache,
    key: columnKey(item),
    grid,
    whole,
    changes: changesOf(item, stretches, view.changes),
  };
  return new FinishedStream(planOf(column, range, stretches), (part) => ({
    stream: compute(part),
    keeper: cache.isKeeping ? new Keeper(column, part) : undefined,
  }));
}

function firstTime(columns: readonly Column[]): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { times, count } of columns) if (count > 0) first = Math.min(first, times[0] ?? 0);
  return first;
}

interface KeptColumn {
  readonly cache: FinishedCache;
  readonly key: string;
  readonly grid: BucketGrid;
  /** The whole buckets of the range that no unsealed point can change. */
  readonly whole: Range;
  /** The changes of everything that the buckets depend on that start in a stretch. */
  readonly changes: (stretch: number) => number;
}

interface Stretches {
  readonly first: number;
  readonly last: number;
}

/** A sum of counts, each of which only rises: it is the same only if nothing has changed. */
function changesOf(
  { series = 0, aggregation, granularityMs, calendar }: SeriesItem,
  { first, last }: Stretches,
  read: NonNullable<ChunkView["changes"]>,
): (stretch: number) => number {
  const isCounter = aggregation === "delta";
  // The last point before a delta may be of any age.
  const before = isCounter ? Number.POSITIVE_INFINITY : Number(isIntegral(aggregation));
  const fits = calendar === undefined && CHANGES_MS % granularityMs === 0;
  const after = Number(isIntegral(aggregation) || !fits);
  // One without a count never had a chunk.
  const counts = [...read(series, isCounter ? FIRST_STRETCH : first - before, last + after)].sort(
    (a, b) => a[0] - b[0],
  );
  const stretches = { times: Float64Array.from(counts, ([at]) => at), count: counts.length };
  const sums = new Float64Array(counts.length + 1);
  for (const [i, [, count]] of counts.entries()) sums[i + 1] = itemAt(sums, i) + count;
  const sumUntil = (stretch: number) => itemAt(sums, lowerBound(stretches, stretch));
  return (stretch) => sumUntil(stretch + after + 1) - sumUntil(stretch - before);
}

const stretchOf = (at: number) => Math.floor(at / CHANGES_MS);
/** No point is older. */
const FIRST_STRETCH = stretchOf(-8.64e15);

/** The first border of a bucket that is not before. */
function borderFrom(grid: BucketGrid, at: number): number {
  const { start, end } = grid.bucketAt(at);
  return start === at ? start : end;
}

/** The last border of a bucket that is not after. */
const borderUntil = (grid: BucketGrid, at: number) => grid.bucketAt(at).start;

/** What is known, in [from, to) by the index, or what has to be computed. */
type Part =
  | { readonly known: FinishedBuckets; readonly first: number; readonly end: number }
  | { readonly missing: Range };

function planOf(
  { cache, key, whole, changes }: KeptColumn,
  { from, to }: Range,
  { first, last }: Stretches,
): readonly Part[] {
  const parts: Part[] = [];
  let at = from;
  const missUntil = (until: number) => {
    if (at < until) parts.push({ missing: { from: at, to: until } });
    at = until;
  };
  for (let stretch = first; stretch <= last; stretch++) {
    const known = cache.find(key, stretch, changes(stretch));
    if (known === undefined) continue;
    const [start, end] = [Math.max(known.from, whole.from), Math.min(known.to, whole.to)];
    if (start >= end) continue;
    missUntil(start);
    const times = { times: known.starts, count: known.starts.length };
    parts.push({ known, first: lowerBound(times, start), end: lowerBound(times, end) });
    at = end;
  }
  missUntil(to);
  return parts;
}

interface Computing {
  readonly stream: BucketBlock;
  readonly keeper: Keeper | undefined;
}

class FinishedStream extends BucketBlock {
  readonly #parts: readonly Part[];
  readonly #compute: (range: Range) => Computing;
  #part = 0;
  /** How many buckets of a known part were given. */
  #given = 0;
  #computing: Computing | undefined;

  constructor(parts: readonly Part[], compute: (range: Range) => Computing) {
    super("number");
    this.#parts = parts;
    this.#compute = compute;
  }

  protected advance(): void {
    const part = this.#parts[this.#part];
    if (part === undefined) this.isDone = true;
    else if ("known" in part) this.#copy(part);
    else {
      this.#computing ??= this.#compute(part.missing);
      this.#take(this.#computing);
    }
  }

  #copy({ known, first, end }: Extract<Part, { known: unknown }>): void {
    const from = first + this.#given;
    const to = Math.min(end, from + BLOCK - this.size);
    this.starts.set(known.starts.subarray(from, to), this.size);
    this.numbers.set(known.numbers.subarray(from, to), this.size);
    this.size += to - from;
    this.#given += to - from;
    if (to === end) this.#endPart();
  }

  #take({ stream, keeper }: Computing): void {
    const next = stream.next();
    if (next === Number.NEGATIVE_INFINITY) {
      this.isWaiting = true;
      return;
    }
    if (next === Number.POSITIVE_INFINITY) {
      keeper?.finish();
      this.#endPart();
      return;
    }
    const count = Math.min(stream.ready, BLOCK - this.size);
    stream.copyStarts(this.starts, this.size, count);
    stream.takeNumbers(this.numbers, this.size, count);
    keeper?.add(
      this.starts.subarray(this.size, this.size + count),
      this.numbers.subarray(this.size, this.size + count),
    );
    this.size += count;
  }

  #endPart(): void {
    this.#part++;
    this.#given = 0;
    this.#computing = undefined;
  }
}

/** Keeps what was computed, one stretch after the other. */
class Keeper {
  readonly #column: KeptColumn;
  readonly #range: Range;
  #stretch = Number.NaN;
  #starts: Float64Array[] = [];
  #numbers: Float64Array[] = [];
  #count = 0;

  constructor(column: KeptColumn, range: Range) {
    this.#column = column;
    this.#range = range;
  }

  add(starts: Float64Array, numbers: Float64Array): void {
    for (let from = 0; from < starts.length; ) {
      const stretch = stretchOf(starts[from] ?? 0);
      if (stretch !== this.#stretch) {
        this.finish();
        this.#stretch = stretch;
      }
      const end = lowerBound({ times: starts, count: starts.length }, (stretch + 1) * CHANGES_MS);
      this.#count += end - from;
      if (this.#count <= MOST_KEPT) {
        this.#starts.push(starts.slice(from, end));
        this.#numbers.push(numbers.slice(from, end));
      } else this.#starts = this.#numbers = [];
      from = end;
    }
  }

  /** No more buckets of the stretch will come. */
  finish(): void {
    const [starts, numbers] = [this.#starts, this.#numbers];
    if (this.#count > 0 && this.#count <= MOST_KEPT) this.#keep(flat(starts), flat(numbers));
    this.#starts = [];
    this.#numbers = [];
    this.#count = 0;
  }

  #keep(starts: Float64Array, numbers: Float64Array): void {
    const { cache, key, grid, whole, changes } = this.#column;
    // Whole buckets that start in the stretch.
    const from = Math.max(whole.from, this.#range.from, borderFrom(grid, this.#stretch * CHANGES_MS));
    const to = Math.min(whole.to, this.#range.to, borderFrom(grid, (this.#stretch + 1) * CHANGES_MS));
    if (from >= to) return;
    const times = { times: starts, count: starts.length };
    const [first, end] = [lowerBound(times, from), lowerBound(times, to)];
    const own = { from, to, starts: starts.slice(first, end), numbers: numbers.slice(first, end) };
    cache.keep(key, this.#stretch, changes(this.#stretch), own);
  }
}

function flat(pieces: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
