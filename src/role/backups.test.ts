import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { expect, test } from "vitest";
import { loadConfig } from "#config";
import { instant } from "#core/time/instant.ts";
import { restoreBackup } from "#store/backup/restore-backup.ts";
import { createSqliteChunkStore } from "#store/series/sqlite/sqlite-chunk-store.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { createBackups } from "./backups.ts";

const HOUR = 3_600_000;
const BEGIN = Date.parse("2026-11-16T06:10:00");

/** Backups of an installation without records, on a clock that the test sets. */
async function open(flags: readonly string[] = []) {
  const data = tempFolder();
  await (await openRecords(data, () => {})).close();
  const telemetry = new Connection(join(data, "telemetry.db"), "write");
  await createSqliteChunkStore(telemetry).close();
  writeFileSync(join(data, "seal.key"), "key\n", { mode: 0o400 });
  writeFileSync(join(data, "busbar.yaml"), "port: 9000\n");
  const input = { flags: ["--data", data, "--backup-schedule", "hourly", ...flags], env: {}, cwd: data };
  const { config } = await loadConfig({ ...input, readFile: () => undefined });
  let now = BEGIN;
  let count = 0;
  const troubles: string[] = [];
  const backups = createBackups(
    {
      now: () => instant(now),
      newId: () => `id-${++count}`,
      log: pino({ enabled: false }),
      troubles: { report: ({ part }) => void troubles.push(part), clear: (part) => void troubles.push(`no ${part}`) },
    },
    { ...config, file: join(data, "busbar.yaml") },
  );
  const folder = join(data, "backups");
  return {
    backups,
    data,
    folder,
    troubles,
    async at(hours: number) {
      now = BEGIN + hours * HOUR;
      await backups.runDue();
    },
    names: () => readdirSync(folder).map((name) => name.replace(/^busbar-\d{8}T\d{6}Z-/, "")),
  };
}

test("a schedule makes a full backup, then changes, and keeps as many as it should", async () => {
  const { at, names, backups, folder } = await open(["--backup-keep", "2"]);
  await at(0.5);
  expect(backups.last()).toBeUndefined();
  await at(1);
  expect(names()).toEqual(["full.index", "full.tar.gz"]);
  expect(backups.last()).toMatchObject({ at: BEGIN + HOUR });
  await at(1.5);
  expect(names()).toHaveLength(2);
  // Nothing has changed, so a backup of changes is as large as a full one: every other one is full.
  await at(2);
  expect(names().sort()).toEqual(["changes.tar.gz", "full.index", "full.tar.gz"]);
  for (let hour = 3; hour < 8; hour++) await at(hour);
  const kept = readdirSync(folder).filter((name) => name.endsWith(".gz"));
  expect(kept.length).toBeLessThanOrEqual(3);
  const newest = kept.filter((name) => name.includes("T13") || name.includes("changes")).at(-1) ?? kept.at(-1) ?? "";
  const restored = join(tempFolder(), "data");
  const { manifest } = await restoreBackup({ file: join(folder, newest), data: restored, keys: {} });
  expect(manifest.storage).toBe("embedded");
  expect(readdirSync(restored).sort()).toEqual(
    expect.arrayContaining(["busbar.yaml.restored", "records.db", "seal.key", "telemetry.db"]),
  );
});

test("a backup that was missed while nothing ran is made after the start", async () => {
  const { at, names, folder } = await open();
  mkdirSync(folder);
  writeFileSync(join(folder, "busbar-20200101T000000Z-full.tar.gz"), "old");
  await at(0.1);
  expect(names()).toEqual(["full.tar.gz"]);
  await at(1);
  expect(names().filter((name) => name === "full.tar.gz")).toHaveLength(2);
});

test("a failed backup is a trouble until one succeeds, and is tried again within the hour", async () => {
  const { at, folder, troubles, backups } = await open(["--backup-schedule=daily"].slice(1));
  writeFileSync(folder, "a file where the folder should be");
  await at(1);
  expect(troubles).toEqual(["backup"]);
  expect(backups.last()).toBeUndefined();
  rmSync(folder);
  await at(2);
  expect(troubles).toEqual(["backup", "no backup"]);
  expect(backups.last()).toBeDefined();
});
