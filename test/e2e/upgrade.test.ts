// Data of development versions and of newer versions is refused: by a start, a backup, a restore and a move.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "#role/migrate.ts";
import { BACKUP_FORMAT } from "#store/backup/backup-manifest.ts";
import { finishRestoredDatabase } from "#store/postgres/finish-restored.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { withBusbarOn } from "../support/busbar-on.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** The folder of a version from before the first release: migrations 1 to 5, and the telemetry's schema 1. */
const DEVELOPMENT = fileURLToPath(new URL("../fixtures/development-folder.tar.gz", import.meta.url));
const REFUSAL =
  /was made by a development version of Busbar, before the first release, and cannot be upgraded. Use an /;

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

function developmentFolder(): string {
  const data = join(tempFolder(), "data");
  mkdirSync(data, { mode: 0o700 });
  execFileSync("tar", ["xzf", DEVELOPMENT, "-C", data]);
  return data;
}

/** A folder that this version has made. */
async function newFolder(): Promise<string> {
  const data = join(tempFolder(), "data");
  mkdirSync(data, { mode: 0o700 });
  await withBusbarOn(data, async () => {});
  return data;
}

function change(file: string, sql: string): void {
  const database = new Connection(file, "write");
  database.script(sql);
  database.close();
}

/** A backup file whose first file says this. */
function backupWith(manifest: object, cwd: string): string {
  const text = JSON.stringify(manifest);
  const script = `printf '%s' '${text}' > backup.json && tar --format=ustar -czf made.tar.gz backup.json`;
  execFileSync("sh", ["-c", script], { cwd });
  return "made.tar.gz";
}

const ignore = () => {};

test("the folder of a development version is refused by a start, a backup and a move, and stays as it is", async () => {
  const data = developmentFolder();
  const before = readFileSync(join(data, "records.db"));
  await expect(withBusbarOn(data, async () => {})).rejects.toThrow(REFUSAL);
  const backup = await runBusbar(["backup", "old.tar.gz", "--data", data], { cwd: tempFolder() });
  expect(backup).toMatchObject({ code: 1, err: expect.stringMatching(REFUSAL) });
  const move = migrate({ from: data, to: await server.database("moved"), say: ignore });
  await expect(move).rejects.toThrow(REFUSAL);
  expect(readFileSync(join(data, "records.db"))).toEqual(before);
});

test("the telemetry of a development version is refused beside records of this one", async () => {
  const data = await newFolder();
  change(join(data, "telemetry.db"), "PRAGMA user_version = 4");
  await expect(withBusbarOn(data, async () => {})).rejects.toThrow(REFUSAL);
});

test("the database of a development version is refused by a node, a restore and a move", async () => {
  const url = await server.prepared("development");
  const session = await server.session("development");
  await session.query("DELETE FROM migration");
  const names = ["0001-records.sql", "0002-events.sql", "0003-telemetry.sql"];
  for (const [index, name] of names.entries())
    await session.query("INSERT INTO migration VALUES ($1, $2, 'digest')", [index + 1, name]);
  await expect(openPostgresRecords(url, { allowLoss: true })).rejects.toThrow(REFUSAL);
  await expect(finishRestoredDatabase(url)).rejects.toThrow(REFUSAL);
  await expect(migrate({ from: url, to: join(tempFolder(), "back"), say: ignore })).rejects.toThrow(REFUSAL);
  await expect(migrate({ from: await newFolder(), to: url, say: ignore })).rejects.toThrow(REFUSAL);
  const { rows } = await session.query("SELECT name FROM migration ORDER BY number");
  expect(rows.map(({ name }) => name)).toEqual(names);
  await session.end();
});

test("the backup of a development version is refused", async () => {
  const cwd = tempFolder();
  const file = backupWith({ format: 1, version: "0.1.0", storage: "embedded" }, cwd);
  for (const words of [
    ["backup", "verify", file],
    ["restore", file, "--data", "new"],
  ]) {
    expect(await runBusbar(words, { cwd })).toMatchObject({ code: 1, err: expect.stringMatching(REFUSAL) });
  }
});

test.each([
  [
    "records",
    "records.db",
    "INSERT INTO migration VALUES (9999, '9999-later.sql', 'x')",
    "the records were last used by a newer Busbar",
  ],
  ["telemetry", "telemetry.db", "PRAGMA user_version = 99", "the telemetry was last used by a newer Busbar"],
])("a downgrade is refused: %s of a newer version neither start nor are restored", async (_, file, sql, message) => {
  const data = await newFolder();
  const cwd = tempFolder();
  change(join(data, file), sql);
  await expect(withBusbarOn(data, async () => {})).rejects.toThrow(message);
  expect(await runBusbar(["backup", "newer.tar.gz", "--data", data], { cwd })).toMatchObject({ code: 0 });
  const restored = await runBusbar(["restore", "newer.tar.gz", "--data", "new"], { cwd });
  expect(restored).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  expect(() => readFileSync(join(cwd, "new/records.db"))).toThrow("ENOENT");
});

test("a backup in a form of a newer version is refused", async () => {
  const cwd = tempFolder();
  const file = backupWith({ format: BACKUP_FORMAT + 1, version: "9.0.0" }, cwd);
  const { code, err } = await runBusbar(["backup", "verify", file], { cwd });
  expect(code).toBe(1);
  expect(err).toContain("made by a newer Busbar (9.0.0)");
});
