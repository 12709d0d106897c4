import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { isSpread as isSpreadOn } from "#store/postgres/spread.ts";
import { type Postgres, type PostgresVersion, startPostgres } from "./postgres.ts";

const MANY = 200;

/** Tables with which all others are emptied, those that refer to others first. */
const ROOTS = `SELECT relname AS name FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  AND relname NOT IN ('migration', 'change_base', 'installation') AND relname NOT LIKE 'telemetry\\_%'
  AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = c.oid AND contype = 'f' AND confdeltype = 'c')
  ORDER BY coalesce(array_position(ARRAY['rollout_device', 'rollout', 'device'], relname::text), 9)`;

/** The same records for every test of the file, emptied. */
export function usePostgresRecords(
  version: PostgresVersion,
  start: () => Promise<Pick<Postgres, "prepared" | "stop">> = () => startPostgres({ version }),
): {
  emptied(): Promise<RecordStore>;
  /** What a statement finds in the database itself. */
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** A connection to it. */
  session(): pg.Client;
} {
  let server: Pick<Postgres, "prepared" | "stop">;
  let records: RecordStore;
  let client: pg.Client;
  let tables: readonly string[];
  let deletions: string;
  let isSpread: boolean;
  let roots: readonly string[];
  beforeAll(async () => {
    server = await start();
    const url = await server.prepared("records");
    // A notification is a transaction. While it runs, later changes are not settled, as below.
    records = await openPostgresRecords(url, { allowLoss: true, notifications: false, eventBytes: 8 * 1_048_576 });
    client = new pg.Client(url);
    client.on("error", () => {});
    await client.connect();
    // While it runs, the numbers of later changes are not settled yet: lists of changes end earlier for a moment.
    await client.query("ALTER SYSTEM SET autovacuum = off");
    await client.query("SELECT pg_reload_conf()");
    const kept = "('migration', 'change_base', 'installation')";
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
         AND NOT relispartition AND relname NOT IN ${kept}`,
    );
    tables = rows.map(({ name }) => name);
    isSpread = await isSpreadOn(client);
    roots = (await client.query<{ name: string }>(ROOTS)).rows.map(({ name }) => name);
    deletions = tables.map((name) => `DELETE FROM ${name}`).join("; ");
  });
  afterAll(async () => {
    await client.end();
    await records.close();
    await server.stop();
  });
  return {
    session: () => client,
    rows: async (sql) => (await client.query(sql)).rows,
    async emptied() {
      if (isSpread) {
        await client.query(`BEGIN; ${roots.map((name) => `DELETE FROM ${name}`).join("; ")}; COMMIT`);
        return records;
      }
      // Where tables hold a few rows, deleting them is much faster than TRUNCATE, which makes a new file for each. Many
      // deleted rows would stay in the way of later queries.
      const sql = `BEGIN; SET LOCAL session_replication_role = replica; ${deletions}; COMMIT`;
      const results = (await client.query(sql)) as unknown as readonly pg.QueryResult[];
      if (results.some(({ rowCount }) => (rowCount ?? 0) > MANY))
        await client.query(`TRUNCATE ${tables.join(", ")} CASCADE`);
      return records;
    },
  };
}
