import type { Client } from "pg";
import type { Cell, RecordTables, TablePlan } from "#store/move/record-tables.ts";

const ROWS = 500;
/** A statement may have 65,535 values. */
const VALUES = 30_000;

export function postgresTables(client: Client): RecordTables {
  const list = ({ columns }: TablePlan) => columns.map((column) => `"${column}"`).join(", ");
  return {
    async *read(table) {
      await client.query(`BEGIN; DECLARE moved NO SCROLL CURSOR FOR SELECT ${list(table)} FROM "${table.name}"`);
      try {
        for (;;) {
          const { rows } = await client.query<Cell[]>({ text: `FETCH ${ROWS} FROM moved`, rowMode: "array" });
          if (rows.length > 0) yield rows;
          if (rows.length < ROWS) return;
        }
      } finally {
        await client.query("COMMIT");
      }
    },
    async replace(tables, fill) {
      await client.query("BEGIN");
      try {
        await client.query(`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(", ")} CASCADE`);
        await fill(async (table, rows) => {
          const size = Math.max(1, Math.floor(VALUES / table.columns.length));
          for (let from = 0; from < rows.length; from += size) {
            const some = rows.slice(from, from + size);
            const values = some.map(
              (_, r) => `(${table.columns.map((__, c) => `$${r * table.columns.length + c + 1}`).join(", ")})`,
            );
            await client.query(
              `INSERT INTO "${table.name}" (${list(table)}) OVERRIDING SYSTEM VALUE VALUES ${values.join(", ")}`,
              some.flat().map(storable),
            );
          }
        });
        await client.query(RAISE_IDENTITIES);
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
    },
  };
}

/** PostgreSQL cannot store the character U+0000 in a text. */
function storable(cell: Cell): Cell {
  return typeof cell === "string" ? cell.replaceAll("\0", "\ufffd") : cell;
}

/** The next numbers come after the stored ones. */
const RAISE_IDENTITIES = `DO $$
DECLARE one record;
BEGIN
  FOR one IN SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES' LOOP
    EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) FROM %I',
      one.table_name, one.column_name, one.column_name, one.table_name);
  END LOOP;
  PERFORM setval('execution_group_number', coalesce(max(id), 0) + 1, false) FROM execution_group;
END $$`;
