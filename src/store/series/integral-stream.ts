// The integral of one series over time, as buckets: each value holds until the next one, unless that comes so late that
// nobody knows what was in between. Buckets also get their share where no point lies in them.

import { itemAt } from "#core/item-at.ts";
import type { Integral } from "#core/telemetry/aggregation.ts";
import { ScalableSum } from "#core/telemetry/exact-sum.ts";
import type { BucketGrid } from "#core/time/bucket-grid.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { BucketBlock } from "./bucket-block.ts";
import { type Column, lowerBound } from "./column.ts";
import { type LastPoint, NOT_YET, type Piece } from "./column-cursor.ts";
import type { PartField } from "./part-levels.ts";
import { HELD_MS } from "./query.ts";

interface Asked {
  /** Nothing outside of [from, to) counts. */
  readonly from: number;
  readonly to: number;
  readonly grid: BucketGrid;
  readonly before: LastPoint | undefined;
  /** Of all values, or of those above or below zero while the others count as zero. */
  readonly part: Integral;
}

export class IntegralStream extends BucketBlock {
  readonly #pieces: Iterator<Piece>;
  readonly #range: Pick<Asked, "from" | "to">;
  readonly #grid: BucketGrid;
  readonly #part: Integral;
  /** In milliseconds times values. */
  readonly #sum = new ScalableSum();
  // The bucket that is open, if its end is not NaN.
  #start = 0;
  #end = Number.NaN;
  // The value that holds from `#heldFrom` until `#heldTo`, as far as buckets have not got it yet.
  #held: number;
  #heldFrom: number;
  #heldTo = Number.NEGATIVE_INFINITY;
  // The points that come next.
  #column: Column | undefined;
  #index = 0;
  #last = 0;
  // The parts that come next.
  #parts: HeldFigures | undefined;

  constructor(pieces: Iterable<Piece>, { from, to, grid, before, part }: Asked) {
    super("number");
    this.#pieces = pieces[Symbol.iterator]();
    this.#range = { from, to };
    this.#grid = grid;
    this.#part = part;
    this.#held = this.#partOf(Number(before?.value ?? 0));
    this.#heldFrom = before?.at ?? Number.NEGATIVE_INFINITY;
  }

  protected advance(): void {
    if (this.#heldFrom < this.#heldTo) this.#giveHeld();
    else if (this.#column !== undefined) this.#takePoints(this.#column);
    else if (this.#parts !== undefined) this.#takePart(this.#parts);
    else this.#takePiece();
  }

  #takePiece(): void {
    const { value: piece, done } = this.#pieces.next();
    if (done) this.#finish();
    else if (piece === NOT_YET) this.isWaiting = true;
    else if ("column" in piece) {
      this.#column = piece.column;
      this.#index = lowerBound(piece.column, piece.from);
      this.#last = lowerBound(piece.column, piece.to);
    } else if ("parts" in piece) {
      const times = piece.parts("start");
      this.#parts = figuresOf(piece.parts, this.#part);
      this.#index = lowerBound({ times, count: times.length }, piece.from);
      this.#last = lowerBound({ times, count: times.length }, piece.to);
    } else throw new Error("an integral is not made of summaries of chunks");
  }

  /** The next part, which lies in one bucket and in the range. */
  #takePart(parts: HeldFigures): void {
    const index = this.#index;
    if (index >= this.#last) {
      this.#parts = undefined;
      return;
    }
    const [at, count] = [itemAt(parts.firstAt, index), itemAt(parts.count, index)];
    if (this.#holdUntil(at)) return;
    const lastAt = itemAt(parts.lastAt, index);
    if (count > 1) {
      const wasOpen = this.#end > at;
      if (!wasOpen) this.#openAt(at);
      const [high, low] = parts.sumOf(index);
      this.#sum.addPair(high, low);
      // Three points are never so far apart that none of their values is known to hold.
      if (count === 2 && lastAt - at > HELD_MS && !wasOpen) this.#end = Number.NaN;
    }
    this.#index++;
    this.#held = this.#partOf(itemAt(parts.last, index));
    this.#heldFrom = lastAt;
    this.#heldTo = Number.NEGATIVE_INFINITY;
  }

  /** Whether buckets have to get the held value first, which holds until this time. */
  #holdUntil(at: number): boolean {
    const from = Math.max(this.#heldFrom, this.#range.from);
    const until = Math.min(at, this.#range.to);
    if (at - this.#heldFrom > HELD_MS || from >= until) return false;
    this.#heldFrom = from;
    this.#heldTo = until;
    return true;
  }

  /** The next point, and those after it in the same bucket. */
  #takePoints(column: Column): void {
    const { times, values } = column;
    if (this.#index >= this.#last) {
      this.#column = undefined;
      return;
    }
    const at = itemAt(times, this.#index);
    // The point is taken when buckets have got everything before it.
    if (this.#holdUntil(at)) return;
    if (at >= this.#range.to) {
      this.#finish();
      return;
    }
    const end = Math.min(this.#grid.bucketAt(at).end, this.#range.to);
    const behind = lowerBound({ times, count: this.#last }, end);
    if (behind - this.#index > 1) this.#addRun(column, behind);
    this.#index = behind;
    this.#held = this.#partOf(Number(itemAt<number | string>(values, behind - 1)));
    this.#heldFrom = itemAt(times, behind - 1);
    this.#heldTo = Number.NEGATIVE_INFINITY;
  }

  /** The points from the next one to before `behind`, which lie in one bucket. */
  #addRun({ times, values }: Column, behind: number): void {
    const wasOpen = this.#end > itemAt(times, this.#index);
    if (!wasOpen) this.#openAt(itemAt(times, this.#index));
    const numbers = values as Float64Array;
    const run =
      this.#part === "integral"
        ? { times, values: numbers, from: this.#index, to: behind }
        : {
            times: times.subarray(this.#index, behind),
            values: numbers.subarray(this.#index, behind).map((value) => this.#partOf(value)),
            from: 0,
            to: behind - this.#index,
          };
    // A bucket of which nothing is known has no result.
    if (!this.#sum.addHeld(run, HELD_MS) && !wasOpen) this.#end = Number.NaN;
  }

  #partOf(value: number): number {
    if (this.#part === "integral") return value;
    return this.#part === "integral_positive" ? Math.max(value, 0) : Math.min(value, 0);
  }

  /** Gives the held value to one bucket. */
  #giveHeld(): void {
    if (!(this.#heldFrom < this.#end)) this.#openAt(this.#heldFrom);
    const to = Math.min(this.#end, this.#heldTo);
    this.#sum.addProduct(this.#held, to - this.#heldFrom);
    this.#heldFrom = to;
  }

  #openAt(at: number): void {
    this.#close();
    const { start, end } = this.#grid.bucketAt(at);
    this.#start = start;
    this.#end = end;
    this.#sum.clear();
  }

  #close(): void {
    if (Number.isNaN(this.#end)) return;
    this.starts[this.size] = this.#start;
    // Watts give watt-hours.
    this.numbers[this.size++] = this.#sum.mean(HOUR_MS);
    this.#end = Number.NaN;
  }

  #finish(): void {
    this.#close();
    this.isDone = true;
  }
}

/** What an integral needs of parts, by their index. */
interface HeldFigures {
  readonly firstAt: Float64Array;
  readonly lastAt: Float64Array;
  readonly count: Float64Array;
  readonly last: Float64Array;
  /** The terms of the exact sum of its values, or of those above or below zero. */
  readonly sumOf: (index: number) => readonly [high: number, low: number];
}

function figuresOf(field: (name: PartField) => Float64Array, part: Integral): HeldFigures {
  const of = (name: PartField) => field(name);
  const [held, heldRest] = [of("held"), of("heldRest")];
  const whole = (index: number) => [itemAt(held, index), itemAt(heldRest, index)] as const;
  const points = { firstAt: of("firstAt"), lastAt: of("lastAt"), count: of("count"), last: of("last") };
  if (part === "integral") return { ...points, sumOf: whole };
  const isAbove = part === "integral_positive";
  const [own, ownRest] = isAbove ? [of("above"), of("aboveRest")] : [of("below"), of("belowRest")];
  const sign = of("sign");
  const sumOf = (index: number) => {
    if (sign[index] === 0) return [itemAt(own, index), itemAt(ownRest, index)] as const;
    return sign[index] === (isAbove ? 1 : -1) ? whole(index) : NO_SUM;
  };
  return { ...points, sumOf };
}

const NO_SUM = [0, 0] as const;
