// The two databases have the same tables and columns, so that the same SQL fits both.
import { expect, test } from "vitest";
import { EVERYWHERE, SPREAD } from "#store/postgres/spread-tables.ts";
import { usePostgresRecords } from "../support/postgres-records.ts";
import { KEYED, NOT_SPREAD } from "../support/spread-tables.ts";
import { useRecords } from "../support/sqlite-records.ts";

const sqlite = useRecords();
const postgres = usePostgresRecords(18);

/** Tables that only one of them needs; so is what nodes of several versions have to know of a migration. */
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
  const names = inPostgres
    .filter(({ table, name }) => !OWN.test(String(table)) && name !== "migration.needs")
    .map(({ name }) => name);
  expect(names.sort()).toEqual(inSqlite.map(({ name }) => name).sort());
});

test("the keys of every table that is spread contain the column by which it is spread", async () => {
  const keys = (await postgres.rows(
    `SELECT c.relname AS "table", i.relname AS key, array_to_string(ARRAY(
       SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (x.indkey)), ',') AS columns
     FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
     WHERE x.indisunique AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`,
  )) as unknown as readonly { readonly table: string; readonly key: string; readonly columns: string }[];
  const lacks = ({ table, columns }: (typeof keys)[number]) => {
    const column = KEYED[table];
    return column !== undefined && !columns.split(",").includes(column);
  };
  expect(keys.filter(lacks)).toEqual([]);
});

test("every table is spread, or there is a reason why it is not", async () => {
  const tables = await postgres.rows(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
     AND NOT relispartition ORDER BY relname`,
  );
  expect([...Object.keys(KEYED), ...Object.keys(NOT_SPREAD)].sort()).toEqual(tables.map(({ name }) => name));
});

test("a spread table refers only to tables that are spread in the same way, or that every server has", async () => {
  const references = (await postgres.rows(
    `SELECT c.conrelid::regclass::text AS "from", c.confrelid::regclass::text AS "to", array_to_string(ARRAY(
       SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)), ',') AS columns
     FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace`,
  )) as unknown as readonly { readonly from: string; readonly to: string; readonly columns: string }[];
  expect(references.length).toBeGreaterThan(10);
  const breaks = ({ from, to, columns }: (typeof references)[number]) => {
    const column = SPREAD[from];
    if (column === undefined) return SPREAD[to] !== undefined;
    return SPREAD[to] === undefined ? !EVERYWHERE.includes(to) : !columns.split(",").includes(column);
  };
  expect(references.filter(breaks)).toEqual([]);
});
