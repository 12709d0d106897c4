// One series as buckets: pieces go in, finished buckets come out, a block at a time. Only the open bucket is kept
// between blocks, so memory does not grow with the range.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import type { BucketGrid } from "#core/time/bucket-grid.ts";
import type { Accumulator } from "./accumulator.ts";
import { type PointAggregation, RULES } from "./accumulators.ts";
import { BLOCK, BucketBlock } from "./bucket-block.ts";
import { type Column, lowerBound } from "./column.ts";
import { type LastPoint, NOT_YET, type Piece } from "./column-cursor.ts";
import type { PartField } from "./part-levels.ts";
import type { SeriesItem } from "./query.ts";

type Asked = Pick<SeriesItem, "kind" | "granularityMs" | "counter"> & {
  readonly aggregation: PointAggregation;
  /** Undefined: buckets of the fixed length. */
  readonly grid?: BucketGrid | undefined;
  /** The last point before the first piece, for aggregations that compare points with the ones before. */
  readonly before?: LastPoint | undefined;
  /** Points before this prepare the first bucket and count nothing. Undefined: there are none. */
  readonly from?: number;
};

export class BucketStream extends BucketBlock {
  readonly #pieces: Iterator<Piece>;
  readonly #granularity: number;
  readonly #grid: BucketGrid | undefined;
  readonly #accumulator: Accumulator;
  readonly #countsFrom: number;
  /** The fields of parts that the accumulator needs. */
  readonly #partFields: readonly PartField[];
  /** The result of a number that is alone in its bucket; undefined: the number itself. */
  readonly #alone: number | undefined;
  /** Whether a point that is alone in its bucket has a result of its own. */
  readonly #hasSingles: boolean;
  #column: Column | undefined;
  #parts: PartFigures | undefined;
  #index = 0;
  #end = 0;
  #runLength = 1;
  #stop = 0;
  // The open bucket.
  #start = Number.NaN;
  #isOpen = false;

  constructor(pieces: Iterable<Piece>, { kind, granularityMs, grid, aggregation, before, counter, from }: Asked) {
    const rules = RULES[aggregation];
    super(rules.kind(kind));
    this.#pieces = pieces[Symbol.iterator]();
    this.#granularity = granularityMs;
    this.#grid = grid;
    this.#accumulator = rules.create(before, counter);
    this.#countsFrom = from ?? Number.NEGATIVE_INFINITY;
    this.#partFields = rules.parts;
    this.#alone = rules.alone === "value" ? undefined : rules.alone;
    this.#hasSingles = this.kind === "number" && rules.alone !== undefined && grid === undefined;
  }

  protected advance(): void {
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
      this.isDone = true;
      this.#close();
    } else this.#take(piece);
  }

  #take(piece: Piece): void {
    if (piece === NOT_YET) {
      this.isWaiting = true;
    } else if ("summary" in piece) {
      if (piece.summary.firstAt >= this.#countsFrom) this.#open(this.#bucketAt(piece.summary.firstAt));
      this.#accumulator.addSummary(piece.summary);
    } else if ("parts" in piece) {
      const times = piece.parts("start");
      const parts = { count: times.length, times, fields: this.#partFields.map(piece.parts) };
      const [from, to] = [lowerBound(parts, piece.from), lowerBound(parts, piece.to)];
      const { tried } = piece;
      if (tried && this.#accumulator.takesParts?.(parts.fields, { from, to, lastAt: tried.lastAt }) === false) {
        this.#take(tried.instead());
        return;
      }
      this.#parts = parts;
      this.#index = from;
      this.#end = to;
    } else {
      this.#column = piece.column;
      this.#index = lowerBound(piece.column, piece.from);
      this.#end = lowerBound(piece.column, piece.to);
      if (piece.from < this.#countsFrom) this.#prepare(piece.column);
    }
  }

  /** Points before the first bucket: the accumulator sees them before any bucket begins. */
  #prepare(column: Column): void {
    const from = Math.min(this.#end, lowerBound(column, this.#countsFrom));
    if (from <= this.#index) return;
    this.#accumulator.addPoints(column, this.#index, from);
    this.#index = from;
  }

  /** Processes the column's points until the column or the block is used up. */
  #scan(column: Column): void {
    const { times } = column;
    const end = this.#end;
    let from = this.#index;
    while (from < end && this.size < BLOCK) {
      this.#open(this.#bucketAt(itemAt(times, from)));
      const to = this.#endOfRun(times, from);
      this.#accumulator.addPoints(column, from, to);
      from = to - from === 1 && this.#hasSingles ? this.#scanSingles(column, to) : to;
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
    const alone = this.#alone;
    const points = values as Float64Array;
    const starts = this.starts;
    const results = this.numbers;
    // The last point may share its bucket with the points after the column.
    const end = this.#end - 1;
    if (from >= end || this.size >= BLOCK) return from;
    let at = from;
    let start = Math.floor(itemAt(times, at) / granularity) * granularity;
    if (start === this.#start) return at;
    this.#close();
    let size = this.size;
    while (at < end && size < BLOCK) {
      const time = times[at + 1] ?? 0;
      if (time - start < granularity) break;
      starts[size] = start;
      results[size++] = alone ?? points[at] ?? 0;
      at++;
      start = Math.floor(time / granularity) * granularity;
    }
    this.size = size;
    return at;
  }

  /** The same with summaries of parts. No part lies in two buckets. */
  #scanParts({ times, fields }: PartFigures): void {
    const end = this.#end;
    let from = this.#index;
    while (from < end && this.size < BLOCK) {
      this.#open(this.#bucketAt(itemAt(times, from)));
      const to = this.#endOfRun(times, from);
      this.#accumulator.addParts(fields, from, to);
      from = to;
    }
    this.#index = from;
    if (from >= end) this.#parts = undefined;
  }

  /** Start of the bucket; `#stop` becomes its end. */
  #bucketAt(at: number): number {
    if (this.#grid !== undefined) {
      const bucket = this.#grid.bucketAt(at);
      this.#stop = bucket.end;
      return bucket.start;
    }
    const start = Math.floor(at / this.#granularity) * this.#granularity;
    this.#stop = start + this.#granularity;
    return start;
  }

  /**
   * The first index after `from` that is not in the bucket of the last `#bucketAt`. Runs have similar lengths, so the last length is a good
   * guess.
   */
  #endOfRun(times: Float64Array, from: number): number {
    const [end, stop] = [this.#end, this.#stop];
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
    this.starts[this.size] = this.#start;
    this.#accumulator.store(this.numbers, this.others, this.size);
    this.size++;
    this.#isOpen = false;
  }
}

/** The start of each part, and the fields that the aggregation needs. */
interface PartFigures {
  readonly count: number;
  readonly times: Float64Array;
  readonly fields: readonly Float64Array[];
}
