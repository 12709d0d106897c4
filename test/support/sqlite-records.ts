import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openRecords } from "#store/sqlite/open-records.ts";

/** The same records for every test of the file, emptied: opening starts a thread, which takes longer than most tests. */
export function useRecords(): {
  emptied(): Promise<RecordStore>;
  /** What a statement finds in the file itself. */
  rows(sql: string): readonly Record<string, unknown>[];
} {
  const folder = mkdtempSync(join(tmpdir(), "busbar-"));
  let records: RecordStore;
  let database: DatabaseSync;
  beforeAll(async () => {
    records = await openRecords(folder, (error) => {
      throw error;
    });
    database = new DatabaseSync(join(folder, "records.db"));
  });
  afterAll(async () => {
    database.close();
    await records.close();
    rmSync(folder, { recursive: true });
  });
  const rows = (sql: string) => database.prepare(sql).all();
  return {
    rows,
    async emptied() {
      const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migration'");
      database.exec(`PRAGMA foreign_keys = OFF; ${tables.map(({ name }) => `DELETE FROM ${name};`).join(" ")}`);
      return records;
    },
  };
}
