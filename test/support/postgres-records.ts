import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { type Postgres, type PostgresVersion, startPostgres } from "./postgres.ts";

/** The same records for every test of the file, emptied. */
export function usePostgresRecords(version: PostgresVersion): {
  emptied(): Promise<RecordStore>;
  /** What a statement finds in the database itself. */
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
} {
  let server: Postgres;
  let records: RecordStore;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startPostgres({ version });
    const url = await server.database("records");
    records = await openPostgresRecords(url, { allowLoss: true });
    client = new pg.Client(url);
    await client.connect();
  }, 60_000);
  afterAll(async () => {
    await client.end();
    await records.close();
    await server.stop();
  });
  return {
    rows: async (sql) => (await client.query(sql)).rows,
    async emptied() {
      const kept = "('migration', 'change_base', 'installation')";
      const { rows } = await client.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ${kept}`,
      );
      await client.query(`DELETE FROM execution; TRUNCATE ${rows.map(({ name }) => name).join(", ")} CASCADE`);
      return records;
    },
  };
}
