// One series as buckets: pieces go in, finished buckets come out, a block at a time. Only the open bucket is kept
// between blocks, so memory does not grow with the range.
import { type Accumulator, RULES } from "./accumulators.ts";
import type { Scalar } from "./batch.ts";
import { type Column, lowerBound } from "./column.ts";
import { NOT_YET, type Piece } from "./column-cursor.ts";
import type { PartField } from "./parts.ts";
import type { SeriesItem } from "./query.ts";

const BLOCK = 1_024;

type Asked = Pick<SeriesItem, "kind" | "granularityMs" | "aggregation">;

export class BucketStream {
  /** The kind of the results. */
  readonly kind: Column["kind"];
  readonly #pieces: Iterator<Piece>;
  readonly #granularity: number;
  readonly #accumulator: Accumulator;
  /** The fields of parts that the accumulator needs. */
  readonly #partFields: readonly PartField[];
  /** Whether a number that is alone in its bucket is already the result. */
  readonly #isValueAlone: boolean;
  readonly #starts = new Float64Array(BLOCK);
  /** Results of the block: numbers in an array of their own, so that they need no objects, or other values. */
  readonly #numbers: Float64Array;
  readonly #others: Scalar[] = [];
  #size = 0;
  #at = 0;
  #isDone = false;
  #isWaiting = false;
  #column: Column | undefined;
  #parts: PartFigures | undefined;
  #index = 0;
  #end = 0;
  #runLength = 1;
  // The open bucket.
  #start = Number.NaN;
  #isOpen = false;

  constructor(pieces: Iterable<Piece>, { kind, granularityMs, aggregation }: Asked) {
    this.#pieces = pieces[Symbol.iterator]();
    this.#granularity = granularityMs;
    const rules = RULES[aggregation];
    this.#accumulator = rules.create();
    this.#partFields = rules.parts;
    this.#isValueAlone = rules.alone === "value";
    this.kind = rules.kind(kind);
    this.#numbers = this.kind === "number" ? new Float64Array(BLOCK) : NOTHING;
  }

  /**
   * Start of the next bucket; infinity when there is none left; minus infinity when only the next view of the store
   * can tell.
   */
  next(): number {
    if (this.#at >= this.#size) this.#load();
    return this.#starts[this.#at] ?? 0;
  }

  /** How many buckets are ready without reading further. */
  get ready(): number {
    return this.#size - this.#at;
  }

  /**
   * How many of the next `count` buckets start at the same times as those of another stream. Both streams have that
   * many ready.
   */
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

  /** Like `takeNumber`, `count` times. All of them must be ready. */
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
    this.#isWaiting = false;
    while (this.#size < BLOCK && !this.#isDone && !this.#isWaiting) this.#advance();
    if (this.#size === 0) this.#starts[0] = this.#isWaiting ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
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
    } else if (piece === NOT_YET) {
      this.#isWaiting = true;
    } else if ("summary" in piece) {
      this.#open(Math.floor(piece.summary.firstAt / this.#granularity) * this.#granularity);
      this.#accumulator.addSummary(piece.summary);
    } else if ("parts" in piece) {
      const times = piece.parts("start");
      this.#parts = { count: times.length, times, fields: this.#partFields.map(piece.parts) };
      this.#index = lowerBound(this.#parts, piece.from);
      this.#end = lowerBound(this.#parts, piece.to);
    } else {
      this.#column = piece.column;
      this.#index = lowerBound(piece.column, piece.from);
      this.#end = lowerBound(piece.column, piece.to);
    }
  }

  /** Processes the column's points until the column or the block is used up. */
  #scan(column: Column): void {
    const { times } = column;
    const granularity = this.#granularity;
    const end = this.#end;
    let from = this.#index;
    while (from < end && this.#size < BLOCK) {
      const start = Math.floor((times[from] ?? 0) / granularity) * granularity;
      this.#open(start);
      const to = this.#endOfRun(times, from, start + granularity);
      this.#accumulator.addPoints(column, from, to);
      from = to - from === 1 && this.kind === "number" ? this.#scanSingles(column, to) : to;
    }
    this.#index = from;
    if (from >= end) this.#column = undefined;
  }

  /**
   * Processes points from `from` on that are alone in their bucket: such a point is its own average, sum and extreme.
   * Returns where it ended.
   */
  #scanSingles({ times, values }: Column, from: number): number {
    const granularity = this.#granularity;
    const points = this.#isValueAlone ? (values as Float64Array) : undefined;
    const starts = this.#starts;
    const results = this.#numbers;
    // The last point may share its bucket with the points after the column.
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

  /** The same with summaries of parts. No part lies in two buckets. */
  #scanParts({ times, fields }: PartFigures): void {
    const granularity = this.#granularity;
    const end = this.#end;
    let from = this.#index;
    while (from < end && this.#size < BLOCK) {
      const start = Math.floor((times[from] ?? 0) / granularity) * granularity;
      this.#open(start);
      const to = this.#endOfRun(times, from, start + granularity);
      this.#accumulator.addParts(fields, from, to);
      from = to;
    }
    this.#index = from;
    if (from >= end) this.#parts = undefined;
  }

  /**
   * The first index after `from` whose time is not before `stop`. Runs have similar lengths, so the last length is a good
   * guess.
   */
  #endOfRun(times: Float64Array, from: number, stop: number): number {
    const end = this.#end;
    let last = Math.min(from + this.#runLength, end);
    while (last < end && (times[last] ?? 0) < stop) last++;
    while (last > from && (times[last - 1] ?? 0) >= stop) last--;
    this.#runLength = last - from;
    return last;
  }

  #open(start: number): void {
    if (start === this.#start) return;
    this.#close();
    this.#start = start;
    this.#isOpen = true;
    this.#accumulator.begin();
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#starts[this.#size] = this.#start;
    this.#accumulator.store(this.#numbers, this.#others, this.#size);
    this.#size++;
    this.#isOpen = false;
  }
}

/** The start of each part, and the fields that the aggregation needs. */
interface PartFigures {
  readonly count: number;
  readonly times: Float64Array;
  readonly fields: readonly Float64Array[];
}

const NOTHING = new Float64Array(0);
