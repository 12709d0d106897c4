// A JSON value as a table that people can read. Pure.

export type JsonTable =
  /** A list of objects. `cut`: rows that are left out. */
  | {
      readonly kind: "rows";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly cut: number;
    }
  | { readonly kind: "pairs"; readonly pairs: readonly (readonly [string, string])[]; readonly cut: number };

/** More is in the raw text. */
const MOST_ROWS = 100;
const MOST_COLUMNS = 12;
const LONGEST_CELL = 200;

/** Undefined for what is no list of objects and no object: one line says it. */
export function jsonTable(value: unknown): JsonTable | undefined {
  if (Array.isArray(value)) {
    const objects = value.filter(isObject);
    if (objects.length === 0 || objects.length !== value.length) return undefined;
    const shown = objects.slice(0, MOST_ROWS);
    const columns = [...new Set(shown.flatMap((one) => Object.keys(one)))].slice(0, MOST_COLUMNS);
    const rows = shown.map((one) => columns.map((name) => (Object.hasOwn(one, name) ? cellText(one[name]) : "")));
    return { kind: "rows", columns, rows, cut: objects.length - shown.length };
  }
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  const pairs = entries.slice(0, MOST_ROWS).map(([name, one]) => [name, cellText(one)] as const);
  return { kind: "pairs", pairs, cut: entries.length - pairs.length };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cellText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text;
}
