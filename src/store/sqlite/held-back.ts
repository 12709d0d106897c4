// Statements that run at the end of their transaction, because others of the same transaction may make them needless: of all
// changes of an execution only the last one is its row, and what one execution adds to a counter another one subtracts. Rows of one table are
// added together.
// Gain: a sixth of the writing thread's time for an execution (300 us to 246 us with 64 at once).
import type { Value } from "#store/database.ts";

export interface HeldBack {
  /** A statement that adds its first value to a counter; the others say to which. */
  add(sql: string, by: number, ...which: readonly (string | number)[]): void;
  /** A statement that replaces whatever an earlier one with this key has stored. */
  replace(key: string, sql: string, ...values: readonly Value[]): void;
  /** A row of the table and the columns that `insert` names. */
  row(insert: string, ...values: readonly Value[]): void;
  /** Runs them. */
  release(): void;
  /** The transaction was undone, and they with it. */
  drop(): void;
}

interface Sum {
  by: number;
  readonly which: readonly (string | number)[];
}

/** Rows that one statement adds at most. Few statements are prepared, since each adds a power of two. */
const MOST_ROWS = 16;

export function createHeldBack(run: (sql: string, ...values: readonly Value[]) => void): HeldBack {
  const latest = new Map<string, readonly [sql: string, ...values: readonly Value[]]>();
  const sums = new Map<string, Map<string, Sum>>();
  const rows = new Map<string, (readonly Value[])[]>();
  const texts = new Map<string, string>();
  let isEmpty = true;

  function sumsOf(sql: string): Map<string, Sum> {
    const known = sums.get(sql) ?? new Map<string, Sum>();
    sums.set(sql, known);
    return known;
  }

  function drop(): void {
    latest.clear();
    for (const ofStatement of sums.values()) ofStatement.clear();
    for (const ofTable of rows.values()) ofTable.length = 0;
    isEmpty = true;
  }

  function runRows(insert: string, all: readonly (readonly Value[])[]): void {
    let at = 0;
    for (let count = MOST_ROWS; count >= 1; count /= 2) {
      for (; at + count <= all.length; at += count) {
        const some = all.slice(at, at + count);
        run(rowsText(insert, some), ...some.flat());
      }
    }
  }

  function rowsText(insert: string, { length, 0: first = [] }: readonly (readonly Value[])[]): string {
    const key = `${length} ${insert}`;
    const known =
      texts.get(key) ??
      `${insert} VALUES ${Array(length)
        .fill(`(${first.map(() => "?").join(", ")})`)
        .join(", ")}`;
    texts.set(key, known);
    return known;
  }

  return {
    add(sql, by, ...which) {
      const ofStatement = sumsOf(sql);
      const key = which.join();
      const sum = ofStatement.get(key);
      if (sum === undefined) ofStatement.set(key, { by, which });
      else sum.by += by;
      isEmpty = false;
    },
    replace(key, ...statement) {
      latest.set(key, statement);
      isEmpty = false;
    },
    row(insert, ...values) {
      const ofTable = rows.get(insert);
      if (ofTable === undefined) rows.set(insert, [values]);
      else ofTable.push(values);
      isEmpty = false;
    },
    release() {
      if (isEmpty) return;
      for (const statement of latest.values()) run(...statement);
      for (const [sql, ofStatement] of sums) {
        for (const { by, which } of ofStatement.values()) if (by !== 0) run(sql, by, ...which);
      }
      for (const [insert, ofTable] of rows) if (ofTable.length > 0) runRows(insert, ofTable);
      drop();
    },
    drop,
  };
}
