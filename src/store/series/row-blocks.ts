// Several series as rows of one table, in order of time. A cell is empty where a series has no value, and gaps are
// filled on request.
import type { BlockColumn, RowBlock } from "#core/telemetry/row-block.ts";
import type { BucketGrid } from "#core/time/bucket-grid.ts";
import type { Scalar } from "./batch.ts";
import type { BucketBlock } from "./bucket-block.ts";

export interface RowColumn {
  readonly buckets: BucketBlock;
  /** No bucket is shorter. */
  readonly granularity: number;
  /** Undefined: every bucket is as long. */
  readonly grid?: BucketGrid | undefined;
  /** Undefined: gaps stay empty. */
  readonly fill: { readonly initial: Scalar | undefined } | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Approximate bytes of a block's values, repeated rows included: as CSV that is some 100 to 300 KiB. */
const BLOCK_BYTES = 128 * 1024;
const NUMBER_BYTES = 8;
/** Rows between two checks of the clock. */
const STRIDE = 64;

type Writable<Block> = { -readonly [Field in keyof Block]: Block[Field] };

export class RowBlocks {
  readonly #columns: readonly FilledColumn[];
  /** Every block is built in this memory. */
  readonly #block: Writable<RowBlock>;
  /** The common step of the rows, if every column is filled at the same steady pace; otherwise 0. */
  readonly #pace: number;
  /** Whether every column has numbers without filled gaps. */
  readonly #isPlain: boolean;
  readonly #to: number;
  /** What a row takes without its texts. */
  readonly #rowBytes: number;

  constructor(columns: readonly RowColumn[], range: Range) {
    this.#rowBytes = NUMBER_BYTES * (1 + columns.length);
    const buckets = columns.reduce((sum, { granularity }) => sum + (range.to - range.from) / granularity + 2, 0);
    const room = Math.ceil(Math.min(buckets, BLOCK_BYTES / this.#rowBytes));
    const memory = new BlockMemory(room, columns.length);
    this.#columns = columns.map((column) => new FilledColumn(column, range, memory));
    const pace = columns[0]?.granularity ?? 0;
    const isSteady = ({ fill, granularity, grid }: RowColumn) =>
      fill !== undefined && granularity === pace && grid === undefined;
    this.#pace = columns.every(isSteady) ? pace : 0;
    this.#isPlain = columns.every(({ fill, buckets }) => fill === undefined && buckets.kind === "number");
    this.#to = range.to;
    this.#block = {
      count: 0,
      times: memory.numbers(),
      timeUnitMs: columns.every(({ granularity }) => granularity % 1_000 === 0) ? 1_000 : 1,
      repeats: memory.counts(),
      stepMs: pace,
      columns: this.#columns.map(({ cells }) => cells),
    };
  }

  /**
   * The next rows; valid until the next call. Ends early, but with at least one row, when others should have a turn. It
   * also ends where a column has to wait for the next view of the store; then it may have no row.
   */
  next(isSpent: () => boolean): { readonly block: RowBlock; readonly isLast: boolean } {
    const { times, repeats } = this.#block;
    const columns = this.#columns;
    for (const column of columns) column.stopWaiting();
    let bytes = 0;
    for (let row = 0; ; row++) {
      if (this.#isPlain && row % STRIDE === 0) row += this.#copyAlike(row);
      let start = Number.POSITIVE_INFINITY;
      for (const { next } of columns) if (next < start) start = next;
      const isLast = start === Number.POSITIVE_INFINITY;
      const isFull = row >= times.length || bytes >= BLOCK_BYTES || (row > 0 && row % STRIDE === 0 && isSpent());
      if (isLast || isFull || start === Number.NEGATIVE_INFINITY) {
        this.#block.count = row;
        return { block: this.#block, isLast };
      }
      times[row] = start;
      let rowBytes = this.#rowBytes;
      for (const column of columns) rowBytes += column.write(row, start);
      bytes += rowBytes;
      if (this.#pace === 0) continue;
      const more = this.#repeat(start, Math.ceil((BLOCK_BYTES - bytes) / rowBytes));
      repeats[row] = more;
      bytes += more * rowBytes;
    }
  }

  /**
   * Copies as many rows as start at the same time in every column, in whole strides and a column at a time. This
   * saves 15 % of the time of a query.
   */
  #copyAlike(row: number): number {
    const { times } = this.#block;
    const [first] = this.#columns;
    if (first === undefined) return 0;
    let count = times.length - row;
    for (const { buckets } of this.#columns) count = Math.min(count, buckets.ready);
    for (const { buckets } of this.#columns) count = buckets.countAlike(first.buckets, count);
    count -= count % STRIDE;
    if (count === 0) return 0;
    first.buckets.copyStarts(times, row, count);
    for (const column of this.#columns) column.copy(row, count);
    return count;
  }

  /**
   * Skips the following rows that differ from the one at `start` in time only, because every column repeats its value.
   */
  #repeat(start: number, most: number): number {
    let end = this.#to;
    for (const { ownNext } of this.#columns) if (ownNext < end) end = ownNext;
    const pace = this.#pace;
    const rows = Math.max(0, Math.min(most, Math.ceil((end - start) / pace) - 1));
    if (rows > 0) for (const column of this.#columns) column.skipTo(start + (rows + 1) * pace);
    return rows;
  }
}

class FilledColumn {
  readonly cells: BlockColumn;
  // Numbers from the start: a field that was ever undefined would need a new object for each number.
  /** Start of the next bucket for which the column has a cell; otherwise like the `next` of its buckets. */
  next = 0;
  /** Start of the next bucket with a value that is not carried. */
  ownNext = 0;
  readonly buckets: BucketBlock;
  readonly #granularity: number;
  readonly #grid: BucketGrid | undefined;
  readonly #isFilled: boolean;
  readonly #to: number;
  #carried: Scalar | undefined;
  /** The next bucket that a carried value fills. */
  #fillStart = 0;

  constructor({ buckets, granularity, grid, fill }: RowColumn, { from, to }: Range, memory: BlockMemory) {
    this.cells = createCells(buckets.kind, memory);
    this.buckets = buckets;
    this.#granularity = granularity;
    this.#grid = grid;
    this.#isFilled = fill !== undefined;
    this.#carried = fill?.initial;
    this.#to = to;
    this.#fillStart = grid?.bucketAt(from).start ?? Math.floor(from / granularity) * granularity;
    this.ownNext = buckets.next();
    this.next = this.#nextFilled();
  }

  /** Another view of the store is there. */
  stopWaiting(): void {
    if (this.ownNext !== Number.NEGATIVE_INFINITY) return;
    this.ownNext = this.buckets.next();
    this.next = this.#nextFilled();
  }

  /** Writes its cell of the row that starts at `start`. Returns the bytes of its text. */
  write(row: number, start: number): number {
    const { cells } = this;
    if (this.next !== start) {
      cells.presence[row] = 0;
      return 0;
    }
    cells.presence[row] = 1;
    if (this.next < this.ownNext) {
      this.skipTo(this.#after(start));
      return writeScalar(cells, row, this.#carried ?? 0);
    }
    if (!this.#isFilled && cells.kind === "number") {
      cells.values[row] = this.buckets.takeNumber();
      this.ownNext = this.buckets.next();
      this.next = this.ownNext;
      return 0;
    }
    const value = this.buckets.take();
    this.ownNext = this.buckets.next();
    if (this.#isFilled) {
      this.#carried = value;
      this.skipTo(this.#after(start));
    } else this.next = this.ownNext;
    return writeScalar(cells, row, value);
  }

  /** Writes the cells of this many rows. All of them must be numbers that are ready, not carried ones. */
  copy(row: number, count: number): void {
    const { cells } = this;
    if (cells.kind !== "number") return;
    this.buckets.takeNumbers(cells.values, row, count);
    cells.presence.fill(1, row, row + count);
    this.ownNext = this.buckets.next();
    this.next = this.ownNext;
  }

  /** Skips cells that would be filled before `start`. */
  skipTo(start: number): void {
    this.#fillStart = start;
    this.next = this.#nextFilled();
  }

  /** Start of the bucket after the one that starts here. */
  #after(start: number): number {
    return this.#grid?.bucketAt(start).end ?? start + this.#granularity;
  }

  #nextFilled(): number {
    const isFilling = this.#carried !== undefined && this.#fillStart < this.#to;
    return isFilling && this.#fillStart < this.ownNext ? this.#fillStart : this.ownNext;
  }
}

function createCells(kind: BlockColumn["kind"], memory: BlockMemory): BlockColumn {
  const presence = memory.bytes();
  if (kind === "number") return { kind, values: memory.numbers(), presence };
  return kind === "boolean" ? { kind, values: memory.bytes(), presence } : { kind, values: [], presence };
}

/**
 * All arrays of a block are parts of one buffer. A buffer for each of them took 0.07 ms and as much of the garbage
 * collector, of the 1.5 ms that a query of `bench/telemetry` takes on average.
 */
class BlockMemory {
  readonly #buffer: ArrayBuffer;
  readonly #room: number;
  #used = 0;

  /** For times and repeats, and the values and the presence of each column. */
  constructor(room: number, columns: number) {
    // Whole numbers of 8 bytes, because every part begins at one.
    this.#room = Math.ceil(room / 8) * 8;
    this.#buffer = new ArrayBuffer(this.#room * (8 + 4 + 9 * columns));
  }

  numbers(): Float64Array {
    return new Float64Array(this.#buffer, this.#take(8), this.#room);
  }

  counts(): Uint32Array {
    return new Uint32Array(this.#buffer, this.#take(4), this.#room);
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, this.#take(1), this.#room);
  }

  #take(bytes: number): number {
    const from = this.#used;
    this.#used += bytes * this.#room;
    return from;
  }
}

function writeScalar(cells: BlockColumn, row: number, value: Scalar): number {
  if (cells.kind === "number") cells.values[row] = Number(value);
  else if (cells.kind === "boolean") cells.values[row] = value === true ? 1 : 0;
  else {
    const text = String(value);
    cells.values[row] = text;
    return text.length;
  }
  return 0;
}
