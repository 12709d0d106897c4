// Several series as rows of one table: in order of time, an empty cell where a series has nothing, gaps filled where asked.
import type { CsvBytes } from "#core/telemetry/csv-bytes.ts";
import type { Scalar } from "./batch.ts";
import type { BucketStream } from "./bucket-stream.ts";

export interface RowColumn {
  readonly buckets: BucketStream;
  readonly granularity: number;
  /** Undefined: gaps stay empty. */
  readonly fill: { readonly initial: Scalar | undefined } | undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Budget {
  readonly bytes: number;
  /** True when it is time to let others have a turn. */
  readonly isSpent: () => boolean;
}

/** Rows between two looks at the clock. */
const STRIDE = 64;

export class RowWriter {
  readonly #columns: readonly FilledColumn[];
  readonly #isWholeSeconds: boolean;
  /** Of rows whose every column is filled at the same pace, else 0. */
  readonly #pace: number;
  readonly #to: number;

  constructor(columns: readonly RowColumn[], range: Range) {
    this.#columns = columns.map((column) => new FilledColumn(column, range));
    this.#isWholeSeconds = columns.every((column) => column.granularity % 1_000 === 0);
    const pace = columns[0]?.granularity ?? 0;
    this.#pace = columns.every(({ fill, granularity }) => fill !== undefined && granularity === pace) ? pace : 0;
    this.#to = range.to;
  }

  /** Writes rows until the budget is spent; true when there are no more. */
  write(csv: CsvBytes, { bytes, isSpent }: Budget): boolean {
    const columns = this.#columns;
    let look = STRIDE;
    for (let rows = 1; ; rows++) {
      let start = Number.POSITIVE_INFINITY;
      for (const { next } of columns) if (next < start) start = next;
      if (start === Number.POSITIVE_INFINITY) return true;
      csv.row(start, this.#isWholeSeconds);
      for (const column of columns) {
        csv.comma();
        if (column.next === start) column.write(csv);
      }
      csv.newline();
      if (this.#pace > 0) rows += this.#repeat(csv, start, bytes);
      if (csv.length >= bytes) return false;
      if (rows < look) continue;
      if (isSpent()) return false;
      look = rows + STRIDE;
    }
  }

  /** Writes the rows that follow and differ from the one at `start` in time only, because every column carries its value on. */
  #repeat(csv: CsvBytes, start: number, bytes: number): number {
    let end = this.#to;
    for (const { ownNext } of this.#columns) if (ownNext < end) end = ownNext;
    const pace = this.#pace;
    const rows = csv.repeat(pace, Math.ceil((end - start) / pace) - 1, bytes);
    if (rows > 0) for (const column of this.#columns) column.skipTo(start + (rows + 1) * pace);
    return rows;
  }
}

class FilledColumn {
  // Numbers from the start: a field that was ever undefined would need a new object for each number.
  /** Start of the next bucket that the column has a cell for; infinity when it has nothing more to say. */
  next = 0;
  /** The same of a value of its own. */
  ownNext = 0;
  readonly #buckets: BucketStream;
  readonly #granularity: number;
  readonly #isFilled: boolean;
  readonly #to: number;
  #carried: Scalar | undefined;
  /** The next bucket that a carried value fills. */
  #fillStart = 0;

  constructor({ buckets, granularity, fill }: RowColumn, { from, to }: Range) {
    this.#buckets = buckets;
    this.#granularity = granularity;
    this.#isFilled = fill !== undefined;
    this.#carried = fill?.initial;
    this.#to = to;
    this.#fillStart = Math.floor(from / granularity) * granularity;
    this.ownNext = buckets.next();
    this.next = this.#nextFilled();
  }

  /** The cell at `next`. */
  write(csv: CsvBytes): void {
    if (this.next < this.ownNext) {
      writeScalar(csv, this.#carried ?? 0);
      this.skipTo(this.next + this.#granularity);
      return;
    }
    if (!this.#isFilled && this.#buckets.isNumeric) {
      csv.number(this.#buckets.takeNumber());
      this.ownNext = this.#buckets.next();
      this.next = this.ownNext;
      return;
    }
    const value = this.#buckets.take();
    writeScalar(csv, value);
    const start = this.ownNext;
    this.ownNext = this.#buckets.next();
    if (this.#isFilled) {
      this.#carried = value;
      this.skipTo(start + this.#granularity);
    } else this.next = this.ownNext;
  }

  /** Leaves out what would be filled before `start`. */
  skipTo(start: number): void {
    this.#fillStart = start;
    this.next = this.#nextFilled();
  }

  #nextFilled(): number {
    const isFilling = this.#carried !== undefined && this.#fillStart < this.#to;
    return isFilling && this.#fillStart < this.ownNext ? this.#fillStart : this.ownNext;
  }
}

function writeScalar(csv: CsvBytes, value: Scalar): void {
  if (typeof value === "number") csv.number(value);
  else csv.text(String(value));
}
