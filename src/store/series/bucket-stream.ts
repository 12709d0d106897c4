// One series as buckets: pieces in, finished buckets out, a block at a time. Only the open bucket is carried along, so
// memory does not grow with the range.
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { addSum, addValue, addValues, type ExactSum, meanOf } from "#core/telemetry/exact-sum.ts";
import type { Scalar } from "./batch.ts";
import type { Summary } from "./chunk-store.ts";
import { type Column, lowerBound, valueAt } from "./column.ts";
import type { Piece } from "./column-cursor.ts";
import type { PartField } from "./parts.ts";
import type { SeriesItem } from "./query.ts";

const BLOCK = 1_024;

type Asked = Pick<SeriesItem, "kind" | "granularityMs" | "aggregation">;

export class BucketStream {
  /** Of the results. */
  readonly kind: Column["kind"];
  readonly #pieces: Iterator<Piece>;
  readonly #granularity: number;
  readonly #aggregation: ResolvedAggregation;
  readonly #starts = new Float64Array(BLOCK);
  /** Results of the block: numbers, which need no objects that way, or others. */
  readonly #numbers: Float64Array;
  readonly #others: Scalar[] = [];
  #size = 0;
  #at = 0;
  #isDone = false;
  #column: Column | undefined;
  #parts: PartFigures | undefined;
  #index = 0;
  #end = 0;
  // The open bucket.
  #start = Number.NaN;
  #count = 0;
  #sum: ExactSum = { high: 0, low: 0 };
  #extreme = 0;
  #value: Scalar = 0;

  constructor(pieces: Iterable<Piece>, { kind, granularityMs, aggregation }: Asked) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#granularity = granularityMs;
    this.#aggregation = aggregation;
    this.kind = aggregation === "count" ? "number" : kind;
    this.#numbers = this.kind === "number" ? new Float64Array(BLOCK) : NOTHING;
  }

  /** Start of the next bucket; infinity when there is none left. */
  next(): number {
    if (this.#at >= this.#size) this.#load();
    return this.#starts[this.#at] ?? 0;
  }

  /** How many buckets are there without reading on. */
  get ready(): number {
    return this.#size - this.#at;
  }

  /** How many of the next `count` buckets start when those of another stream do, until one does not. Both have so many ready. */
  countAlike(other: BucketStream, count: number): number {
    const [own, others] = [this.#starts, other.#starts];
    const [ownAt, otherAt] = [this.#at, other.#at];
    let alike = 0;
    while (alike < count && own[ownAt + alike] === others[otherAt + alike]) alike++;
    return alike;
  }

  copyStarts(target: Float64Array, place: number, count: number): void {
    target.set(this.#starts.subarray(this.#at, this.#at + count), place);
  }

  /** Like `takeNumber`, `count` times, of which all are ready. */
  takeNumbers(target: Float64Array, place: number, count: number): void {
    target.set(this.#numbers.subarray(this.#at, this.#at + count), place);
    this.#at += count;
  }

  take(): Scalar {
    return this.kind === "number" ? this.takeNumber() : (this.#others[this.#at++] ?? 0);
  }

  takeNumber(): number {
    return this.#numbers[this.#at++] ?? 0;
  }

  #load(): void {
    this.#size = 0;
    this.#at = 0;
    this.#others.length = 0;
    while (this.#size < BLOCK && !this.#isDone) this.#advance();
    if (this.#size === 0) this.#starts[0] = Number.POSITIVE_INFINITY;
  }

  #advance(): void {
    if (this.#column !== undefined) {
      this.#scan(this.#column);
      return;
    }
    if (this.#parts !== undefined) {
      this.#scanParts(this.#parts);
      return;
    }
    const { value: piece, done } = this.#pieces.next();
    if (done) {
      this.#isDone = true;
      this.#close();
    } else if ("summary" in piece) {
      this.#open(Math.floor(piece.summary.firstAt / this.#granularity) * this.#granularity);
      this.#addSummary(piece.summary);
    } else if ("parts" in piece) {
      this.#parts = partFigures(piece.parts, this.#aggregation);
      this.#index = lowerBound(this.#parts, piece.from);
      this.#end = lowerBound(this.#parts, piece.to);
    } else {
      this.#column = piece.column;
      this.#index = lowerBound(piece.column, piece.from);
      this.#end = lowerBound(piece.column, piece.to);
    }
  }

  /** Goes through the column's points until it or the block is used up. */
  #scan(column: Column): void {
    const { times } = column;
    const granularity = this.#granularity;
    const end = this.#end;
    let from = this.#index;
    let guess = 1;
    while (from < end && this.#size < BLOCK) {
      const start = Math.floor((times[from] ?? 0) / granularity) * granularity;
      this.#open(start);
      const to = endOfRun(times, { from, to: end }, { stop: start + granularity, guess });
      this.#addPoints(column, from, to);
      guess = to - from;
      from = guess === 1 && this.kind === "number" ? this.#scanSingles(column, to) : to;
    }
    this.#index = from;
    if (from >= end) this.#column = undefined;
  }

  /** Points from `from` on that are alone in their bucket: there the point is its own average, sum and extreme. Gives where it ended. */
  #scanSingles({ times, values }: Column, from: number): number {
    const granularity = this.#granularity;
    const points = this.#aggregation === "count" ? undefined : (values as Float64Array);
    const starts = this.#starts;
    const results = this.#numbers;
    // The last point may share its bucket with what comes after the column.
    const end = this.#end - 1;
    if (from >= end || this.#size >= BLOCK) return from;
    let at = from;
    let start = Math.floor((times[at] ?? 0) / granularity) * granularity;
    if (start === this.#start) return at;
    this.#close();
    let size = this.#size;
    while (at < end && size < BLOCK) {
      const time = times[at + 1] ?? 0;
      if (time - start < granularity) break;
      starts[size] = start;
      results[size++] = points === undefined ? 1 : (points[at] ?? 0);
      at++;
      start = Math.floor(time / granularity) * granularity;
    }
    this.#size = size;
    return at;
  }

  /** The same with summaries of parts, none of which lies in two buckets. */
  #scanParts(parts: PartFigures): void {
    const granularity = this.#granularity;
    const end = this.#end;
    let part = this.#index;
    for (; part < end && this.#size < BLOCK; part++) {
      this.#open(Math.floor((parts.times[part] ?? 0) / granularity) * granularity);
      this.#addPart(parts, part);
    }
    this.#index = part;
    if (part >= end) this.#parts = undefined;
  }

  #open(start: number): void {
    if (start === this.#start) return;
    this.#close();
    this.#start = start;
    this.#count = 0;
    this.#sum.high = 0;
    this.#sum.low = 0;
  }

  #close(): void {
    if (this.#count === 0) return;
    this.#starts[this.#size] = this.#start;
    if (this.kind === "number") this.#numbers[this.#size] = this.#result() as number;
    else this.#others.push(this.#result());
    this.#size++;
    this.#count = 0;
  }

  #result(): Scalar {
    switch (this.#aggregation) {
      case "avg":
        return this.#count === 1 ? this.#sum.high : meanOf(this.#sum, this.#count);
      case "sum":
        return this.#sum.high;
      case "count":
        return this.#count;
      case "min":
      case "max":
        return this.#extreme;
      case "first":
      case "last":
      case "bool_or":
        return this.#value;
    }
  }

  #addPoints(column: Column, from: number, to: number): void {
    const numbers = column.values as Float64Array;
    switch (this.#aggregation) {
      case "avg":
      case "sum":
        if (to - from === 1) addValue(this.#sum, numbers[from] ?? 0);
        else addValues(this.#sum, numbers, { from, to });
        break;
      case "min":
        this.#extreme = lowest(numbers, { from, to }, this.#count === 0 ? Number.POSITIVE_INFINITY : this.#extreme);
        break;
      case "max":
        this.#extreme = highest(numbers, { from, to }, this.#count === 0 ? Number.NEGATIVE_INFINITY : this.#extreme);
        break;
      case "first":
        if (this.#count === 0) this.#value = valueAt(column, from);
        break;
      case "last":
        this.#value = valueAt(column, to - 1);
        break;
      case "bool_or":
        this.#value =
          (this.#count > 0 && this.#value === true) || (column.values as Uint8Array).subarray(from, to).includes(1);
        break;
      case "count":
        break;
    }
    this.#count += to - from;
  }

  #addPart({ counts, values, rests }: PartFigures, part: number): void {
    const value = values[part] ?? 0;
    switch (this.#aggregation) {
      case "avg":
      case "sum":
        addValue(this.#sum, value);
        addValue(this.#sum, rests[part] ?? 0);
        break;
      case "min":
        this.#extreme = this.#count === 0 ? value : Math.min(this.#extreme, value);
        break;
      case "max":
        this.#extreme = this.#count === 0 ? value : Math.max(this.#extreme, value);
        break;
      case "first":
        if (this.#count === 0) this.#value = value;
        break;
      case "last":
        this.#value = value;
        break;
      case "count":
      case "bool_or":
        break;
    }
    this.#count += counts[part] ?? 0;
  }

  #addSummary({ count, sum, min, max, first, last }: Summary): void {
    switch (this.#aggregation) {
      case "avg":
      case "sum":
        addSum(this.#sum, sum);
        break;
      case "min":
        this.#extreme = this.#count === 0 ? min : Math.min(this.#extreme, min);
        break;
      case "max":
        this.#extreme = this.#count === 0 ? max : Math.max(this.#extreme, max);
        break;
      case "first":
        if (this.#count === 0) this.#value = first;
        break;
      case "last":
        this.#value = last;
        break;
      case "count":
      case "bool_or":
        break;
    }
    this.#count += count;
  }
}

/** Of each part its start, how many points it has, and what the aggregation needs of it. */
interface PartFigures {
  readonly count: number;
  readonly times: Float64Array;
  readonly counts: Float64Array;
  readonly values: Float64Array;
  readonly rests: Float64Array;
}

const PART_VALUE = { avg: "sum", sum: "sum", min: "min", max: "max", first: "first", last: "last" } as const;
const NOTHING = new Float64Array(0);

function partFigures(parts: (field: PartField) => Float64Array, aggregation: ResolvedAggregation): PartFigures {
  const times = parts("start");
  const hasValue = aggregation !== "count" && aggregation !== "bool_or";
  return {
    count: times.length,
    times,
    counts: parts("count"),
    values: hasValue ? parts(PART_VALUE[aggregation]) : NOTHING,
    rests: aggregation === "avg" || aggregation === "sum" ? parts("rest") : NOTHING,
  };
}

interface Run {
  readonly from: number;
  readonly to: number;
}

function lowest(values: Float64Array, { from, to }: Run, before: number): number {
  let found = before;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? 0;
    if (value < found) found = value;
  }
  return found;
}

function highest(values: Float64Array, { from, to }: Run, before: number): number {
  let found = before;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? 0;
    if (value > found) found = value;
  }
  return found;
}

/** The first place from `from` to `end` whose time is not before `stop`. Runs are much alike, so the last length is a good guess. */
function endOfRun(
  times: Float64Array,
  { from, to: end }: Run,
  { stop, guess }: { stop: number; guess: number },
): number {
  let last = Math.min(from + guess, end);
  while (last < end && (times[last] ?? 0) < stop) last++;
  while (last > from && (times[last - 1] ?? 0) >= stop) last--;
  return last;
}
