// Copies all records from one database to the other, and compares both afterwards.
import { createHash } from "node:crypto";
import { refuse } from "#core/app-error.ts";
import type { Cell, RecordTables, TablePlan } from "./record-tables.ts";

/** Returns the number of rows of each table. */
export async function moveRecords(
  from: RecordTables,
  to: RecordTables,
  tables: readonly TablePlan[],
): Promise<ReadonlyMap<string, number>> {
  await to.replace(tables, async (put) => {
    for (const table of tables) {
      if (table.parent === undefined) for await (const rows of from.read(table)) await put(table, rows);
      else
        for (const rows of parentsFirst(table, (await Array.fromAsync(from.read(table))).flat()))
          await put(table, rows);
    }
  });
  const counts = new Map<string, number>();
  for (const table of tables) {
    const [before, after] = [await fingerprint(from, table), await fingerprint(to, table)];
    if (before.rows !== after.rows || before.sum !== after.sum) {
      throw new Error(`table ${table.name} is not the same after the move: ${before.rows} rows became ${after.rows}`);
    }
    counts.set(table.name, before.rows);
  }
  return counts;
}

/** Generations of rows: each refers only to earlier ones. */
function* parentsFirst(
  { columns, parent, name }: TablePlan,
  rows: readonly (readonly Cell[])[],
): Iterable<readonly (readonly Cell[])[]> {
  const [own, key] = [columns.indexOf(parent?.column ?? ""), columns.indexOf(parent?.key ?? "")];
  const done = new Set<Cell>();
  for (let left = rows; left.length > 0; ) {
    const ready = left.filter((row) => row[own] === null || done.has(row[own] ?? null));
    if (ready.length === 0) throw refuse("storage_damaged", `rows of ${name} refer to rows that are not there`);
    yield ready;
    for (const row of ready) done.add(row[key] ?? null);
    left = left.filter((row) => !done.has(row[key] ?? null));
  }
}

/** Whatever the order of the rows: the sum of their hashes. */
async function fingerprint(side: RecordTables, table: TablePlan) {
  let sum = 0n;
  let rows = 0;
  for await (const some of side.read(table)) {
    for (const row of some) {
      const text = JSON.stringify(row.map(comparable));
      sum = (sum + createHash("sha256").update(text).digest().readBigUInt64LE()) & 0xffff_ffff_ffff_ffffn;
      rows++;
    }
  }
  return { rows, sum };
}

/** PostgreSQL stores U+FFFD instead of U+0000. */
function comparable(cell: Cell): string | number | null {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString("hex");
  return typeof cell === "string" ? cell.replaceAll("\0", "\ufffd") : cell;
}
