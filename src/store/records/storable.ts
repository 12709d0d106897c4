// What both databases store and compare in the same way. PostgreSQL refuses a fraction where a column holds whole
// numbers, U+0000 in a text, and half of a surrogate pair in a list. SQLite takes all of them. So every value of every
// statement of the records passes through here, on both databases, and a test on SQLite finds the mistake, too.
import type { Database, Value } from "#store/database.ts";

/** What PostgreSQL's bigint holds. */
const BEYOND = 2 ** 63;

/** The values as they are bound. A number that no column holds is a mistake of the program. */
export function storable(values: readonly Value[]): readonly Value[] {
  for (const value of values) {
    if (typeof value === "number") requireWhole(value);
    else if (typeof value === "string" && !isStorableText(value)) return values.map(storableValue);
  }
  return values;
}

/** A text without U+0000 and without halves of surrogate pairs: each becomes U+FFFD. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replaceAll("\0", "\uFFFD").toWellFormed();
}

/** The same statements, with their values checked. */
export function checkedStatements(
  database: Pick<Database, "get" | "one" | "all" | "run">,
): Pick<Database, "get" | "one" | "all" | "run"> {
  return {
    get: (sql, ...values) => database.get(sql, ...storable(values)),
    one: (sql, ...values) => database.one(sql, ...storable(values)),
    all: (sql, ...values) => database.all(sql, ...storable(values)),
    run: (sql, ...values) => database.run(sql, ...storable(values)),
  };
}

function storableValue(value: Value): Value {
  if (typeof value === "number") requireWhole(value);
  return typeof value === "string" ? storableText(value) : value;
}

function isStorableText(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

function requireWhole(value: number): void {
  if (Number.isInteger(value) && Math.abs(value) < BEYOND) return;
  throw new RangeError(`the records hold whole numbers of 64 bits, not ${value}`);
}
