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

  constructor(columns: readonly RowColumn[], range: Range) {
    this.#columns = columns.map((column) => new FilledColumn(column, range));
    this.#isWholeSeconds = columns.every((column) => column.granularity % 1_000 === 0);
  }

  /** Writes rows until the budget is spent; true when there are no more. */
  write(csv: CsvBytes, { bytes, isSpent }: Budget): boolean {
    for (let rows = 1; ; rows++) {
      const start = this.#nextStart();
      if (start === undefined) return true;
      this.#writeTime(csv, start);
      for (const column of this.#columns) {
        csv.comma();
        column.write(csv, start);
      }
      csv.newline();
      if (csv.length >= bytes || (rows % STRIDE === 0 && isSpent())) return false;
    }
  }

  #nextStart(): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    for (const column of this.#columns) next = Math.min(next, column.nextStart());
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }

  #writeTime(csv: CsvBytes, start: number): void {
    if (this.#isWholeSeconds) csv.integer(start / 1_000);
    else csv.millis(start);
  }
}

class FilledColumn {
  readonly #buckets: BucketStream;
  readonly #granularity: number;
  readonly #isFilled: boolean;
  readonly #to: number;
  #carried: Scalar | undefined;
  /** The next bucket that a carried value fills. */
  #fillStart: number;

  constructor({ buckets, granularity, fill }: RowColumn, { from, to }: Range) {
    this.#buckets = buckets;
    this.#granularity = granularity;
    this.#isFilled = fill !== undefined;
    this.#carried = fill?.initial;
    this.#to = to;
    this.#fillStart = Math.floor(from / granularity) * granularity;
  }

  /** Infinity when the column has nothing more to say. */
  nextStart(): number {
    const own = this.#buckets.load() ? this.#buckets.start : Number.POSITIVE_INFINITY;
    if (this.#carried === undefined || this.#fillStart >= this.#to) return own;
    return Math.min(own, this.#fillStart);
  }

  write(csv: CsvBytes, start: number): void {
    if (this.#buckets.load() && this.#buckets.start === start) {
      const value = this.#buckets.take();
      writeScalar(csv, value);
      if (!this.#isFilled) return;
      this.#carried = value;
      this.#fillStart = start + this.#granularity;
    } else if (this.#carried !== undefined && this.#fillStart === start) {
      writeScalar(csv, this.#carried);
      this.#fillStart = start + this.#granularity;
    }
  }
}

function writeScalar(csv: CsvBytes, value: Scalar): void {
  if (typeof value === "number") csv.number(value);
  else csv.text(String(value));
}
