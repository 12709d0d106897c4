import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import type { Place } from "./executions.ts";
import { makeDevice, makeEntry, makeSite } from "./records.ts";

/** The same records for every test of the file, emptied: opening starts a thread, which takes longer than most tests. */
export function useRecords(): {
  emptied(): Promise<RecordStore>;
  /** On a site of its own unless one is named. */
  newDevice(siteId?: string): Promise<Place>;
} {
  const folder = mkdtempSync(join(tmpdir(), "busbar-"));
  let records: RecordStore;
  beforeAll(async () => {
    records = await openRecords(folder, (error) => {
      throw error;
    });
  });
  afterAll(async () => {
    await records.close();
    rmSync(folder, { recursive: true });
  });
  return {
    async emptied() {
      const database = new DatabaseSync(join(folder, "records.db"));
      const tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migration'")
        .all();
      database.exec(`PRAGMA foreign_keys = OFF; ${tables.map(({ name }) => `DELETE FROM ${name};`).join(" ")}`);
      database.close();
      return records;
    },
    async newDevice(siteId) {
      const site = makeSite();
      if (siteId === undefined) await records.sites.insert(site, makeEntry());
      const device = await records.devices.insert(makeDevice(siteId ?? site.id), makeEntry());
      return { siteId: device.siteId, deviceId: device.id };
    },
  };
}
