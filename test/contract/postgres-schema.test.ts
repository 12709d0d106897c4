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

// Which tables can be spread over several database servers, as Citus does it: all primary and unique keys of such a table
// contain the column by which it is spread.

/** Spread by this column. */
const SPREAD: Readonly<Record<string, string>> = {
  alert: "device_id",
  device_configuration: "device_id",
  device_log: "device_id",
  device_log_size: "device_id",
  device_property: "device_id",
  idempotency: "device_id",
  rollout_device: "device_id",
  script_storage: "device_id",
  simulation: "device_id",
  telemetry_chunk: "device",
  telemetry_journal: "partition",
  telemetry_latest: "device",
  telemetry_partition: "partition",
  telemetry_retention: "site_id",
  telemetry_segment: "device",
};

/** Their keys name an execution, a group or a series alone: they have to stay on one server until the device is in them. */
const NOT_YET: ReadonlySet<string> = new Set([
  "execution",
  "execution_day",
  "execution_group",
  "execution_hour",
  "execution_response",
  "telemetry_held",
  "telemetry_series",
]);

test("the keys of every table that is spread contain the column by which it is spread", async () => {
  const keys = (await postgres.rows(
    `SELECT c.relname AS "table", i.relname AS key, array_to_string(ARRAY(
       SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (x.indkey)), ',') AS columns
     FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
     WHERE x.indisunique AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`,
  )) as unknown as readonly { readonly table: string; readonly key: string; readonly columns: string }[];
  const tables = new Set(keys.map(({ table }) => table));
  for (const table of [...Object.keys(SPREAD), ...NOT_YET]) expect(tables, `${table} has a key`).toContain(table);
  const lacks = ({ table, columns }: (typeof keys)[number]) => {
    const column = SPREAD[table];
    return column !== undefined && !columns.split(",").includes(column);
  };
  expect(keys.filter(lacks)).toEqual([]);
  // Whoever gives a table of devices its key has to say how it is spread; all others are small, or in one order.
  const ofDevices = (await postgres.rows(
    `SELECT DISTINCT table_name AS name FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name
     WHERE c.table_schema = 'public' AND c.column_name IN ('device_id', 'device') AND NOT t.relispartition`,
  )) as unknown as readonly { readonly name: string }[];
  // Devices sign in by another name, events have one order for all, and hours of a link and changes are those of a gateway.
  const SHARED = new Set(["device_credential", "event", "gateway_change", "link_hour", "telemetry_device"]);
  const unsaid = ofDevices.filter(({ name }) => SPREAD[name] === undefined && !NOT_YET.has(name) && !SHARED.has(name));
  expect(unsaid).toEqual([]);
});
