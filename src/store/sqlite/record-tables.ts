import type { Cell, RecordTables, TablePlan } from "#store/move/record-tables.ts";
import type { Connection, Value } from "./connection.ts";
import { migrate } from "./migrate.ts";

const ROWS = 500;

/** The tables of the newest schema, those first that others refer to. `records` may be a database in memory. */
export function planTables(records: Connection): readonly TablePlan[] {
  migrate(records);
  const names = records
    .all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migration'")
    .map(({ name }) => String(name));
  const references = new Map(
    names.map((name) => [name, records.all(`SELECT "table", "from", "to" FROM pragma_foreign_key_list('${name}')`)]),
  );
  const planned: TablePlan[] = [];
  while (planned.length < names.length) {
    const isPlanned = (name: unknown) => planned.some((one) => one.name === name);
    const ready = names.filter(
      (name) => !isPlanned(name) && references.get(name)?.every(({ table }) => table === name || isPlanned(table)),
    );
    if (ready.length === 0) throw new Error("the tables of the records refer to each other in a circle");
    for (const name of ready) {
      const columns = records
        .all(`SELECT name FROM pragma_table_info('${name}')`)
        .map((column) => String(column["name"]));
      const own = references.get(name)?.find(({ table }) => table === name);
      const parent = own && { column: String(own["from"]), key: String(own["to"]) };
      planned.push({ name, columns, parent });
    }
  }
  return planned;
}

export function sqliteTables(records: Connection): RecordTables {
  const list = ({ columns }: TablePlan) => columns.map((column) => `"${column}"`).join(", ");
  return {
    async *read(table) {
      const keys = records
        .all(`SELECT name FROM pragma_table_info('${table.name}') WHERE pk > 0 ORDER BY pk`)
        .map(({ name }) => String(name));
      const key = keys.map((name) => `"${name}"`).join(", ");
      const after = `WHERE (${key}) > (${keys.map(() => "?").join(", ")})`;
      for (let last: Value[] | undefined; ; ) {
        const rows = records.lists(
          `SELECT ${list(table)} FROM "${table.name}" ${last === undefined ? "" : after} ORDER BY ${key} LIMIT ${ROWS}`,
          ...(last ?? []),
        );
        if (rows.length > 0) yield rows as readonly Cell[][];
        if (rows.length < ROWS) return;
        const end = rows.at(-1) as readonly Value[];
        last = keys.map((name) => end[table.columns.indexOf(name)] ?? null);
      }
    },
    async replace(tables, fill) {
      records.script("BEGIN IMMEDIATE");
      try {
        for (const { name } of tables.toReversed()) records.run(`DELETE FROM "${name}"`);
        // Deleting executions leaves a mark in another table.
        for (const { name } of tables.toReversed()) records.run(`DELETE FROM "${name}"`);
        await fill(async (table, rows) => {
          const places = table.columns.map(() => "?").join(", ");
          for (const row of rows)
            records.run(`INSERT INTO "${table.name}" (${list(table)}) VALUES (${places})`, ...(row as Value[]));
        });
        records.script("COMMIT");
      } catch (error) {
        if (records.inTransaction) records.script("ROLLBACK");
        throw error;
      }
    },
  };
}
