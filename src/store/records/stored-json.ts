// Reads JSON that is stored in a column. Damaged JSON must not cost the rest of its row or list, nor stop a start: its
// place is reported, it stays in the file as it is, and the reader goes on without it.
import type { SiteScope } from "#core/access/caller.ts";
import { AppError } from "#core/app-error.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { text } from "./row.ts";

/** Where a row was read, for the report. */
export interface StoredRow {
  readonly database: DamageLog;
  readonly table: string;
  readonly row: Row;
}

/**
 * Deeper than any input allows, and shallow enough for code that walks a value by recursion, such as JSON.stringify.
 */
const LIMITS = { depth: 500, values: Number.POSITIVE_INFINITY };

/** Undefined when the column holds no JSON, JSON of another shape, or JSON nested too deep. */
export function storedJson<Value>(
  from: StoredRow,
  column: string,
  isRight: (value: unknown) => value is Value,
): Value | undefined {
  const json = text(from.row, column);
  try {
    if (isShallow(json)) {
      const value: unknown = JSON.parse(json);
      if (isRight(value)) return value;
    }
  } catch {
    // Reported below without quoting it: it may be a secret.
  }
  from.database.onDamaged(`${from.table} ${keyOf(from.row)}, column ${column}`);
  return undefined;
}

/** NULL means every site. A damaged value means no site: damage never gives anybody more access. */
export function readSites(from: StoredRow): SiteScope {
  return from.row["sites"] === null ? "all" : new Set(storedJson(from, "sites", isTexts));
}

/** Reads every row that can be read; the others are reported and left out. */
export function readRows<Item>(
  database: DamageLog,
  { table, rows }: { readonly table: string; readonly rows: readonly Row[] },
  read: (row: Row) => Item,
): readonly Item[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      reportRow(database, { table, row }, error);
      return [];
    }
  });
}

/** The same for one row that takes further reads. */
export async function readRow<Item>(
  database: DamageLog,
  where: { readonly table: string; readonly row: Row },
  read: () => Promise<Item>,
): Promise<Item | undefined> {
  try {
    return await read();
  } catch (error) {
    reportRow(database, where, error);
    return undefined;
  }
}

function reportRow(
  database: DamageLog,
  { table, row }: { readonly table: string; readonly row: Row },
  error: unknown,
): void {
  // A database that cannot be reached says nothing about the row.
  if (error instanceof AppError) throw error;
  database.onDamaged(`${table} ${keyOf(row)}, ${error instanceof Error ? error.message : String(error)}`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

export function isAnything(_value: unknown): _value is unknown {
  return true;
}

/** A short text cannot be deep. */
function isShallow(json: string): boolean {
  return json.length <= 2 * LIMITS.depth || jsonExcess(json, LIMITS) === undefined;
}

function keyOf(row: Row): string {
  const key = row["id"] ?? row["device_id"] ?? row["site_id"];
  return typeof key === "string" ? key.slice(0, 100) : "of unknown id";
}
