// The two databases have the same tables and columns, so that the same SQL fits both.
import { expect, test } from "vitest";
import { usePostgresRecords } from "../support/postgres-records.ts";
import { useRecords } from "../support/sqlite-records.ts";

const sqlite = useRecords();
const postgres = usePostgresRecords(18);

/** Tables that only one of them needs. */
const OWN = /^(?:(?:change_base|installation|node_note)$|telemetry_(?!retention))/;

test("SQLite and PostgreSQL have the same tables and columns", async () => {
  const inSqlite = sqlite.rows(
    `SELECT m.name || '.' || c.name AS name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
  );
  const inPostgres = await postgres.rows(
    `SELECT table_name AS "table", table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public'`,
  );
  const names = inPostgres.filter(({ table }) => !OWN.test(String(table))).map(({ name }) => name);
  expect(names.sort()).toEqual(inSqlite.map(({ name }) => name).sort());
});
