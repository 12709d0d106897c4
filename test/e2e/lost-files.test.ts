// A data folder that once was an installation never becomes a new one by itself, and half of one is never served: files
// that are lost or empty, restores and moves that are killed, and databases that are not those of the folder.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { migrate } from "#role/migrate.ts";
import { writeMark } from "#store/installation/installation-mark.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { withBusbarOn } from "../support/busbar-on.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN } from "../support/server.ts";
import { callBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

const cwd = mkdtempSync(join(tmpdir(), "busbar-lost-"));
const whole = join(cwd, "whole");
let site = "";
let server: Postgres;

const ENV = { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN };
const sitesOf = (data: string, env: Readonly<Record<string, string>> = {}) =>
  withBusbarOn(data, ({ get }) => get("/v3/sites"), { ...ENV, ...env });
const serve = (data: string) => callBusbar(cwd, ["serve", "--data", data, "--port", "0", "--mqtt-port", "off"]);

/** In this process: only what is killed needs one of its own. */
const call = (...words: readonly string[]) => runBusbar(words, { cwd });

beforeAll(async () => {
  server = await startPostgres();
  await withBusbarOn(whole, async ({ url, get }) => {
    const headers = { "X-Service-Auth-Token": ADMIN_TOKEN };
    await fetch(`${url}/v3/sites`, { method: "POST", headers, body: JSON.stringify({ name: "Plant" }) });
    site = await get("/v3/sites");
  });
  expect(site).toContain("Plant");
  expect(await call("backup", "whole.tar.gz", "--data", whole)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  rmSync(cwd, { recursive: true, force: true });
  await server.stop();
});

/** The installation after somebody did something to its files. */
function copyOf(change: (at: (name: string) => string) => void): string {
  const data = join(tempFolder(), "data");
  cpSync(whole, data, { recursive: true });
  change((name) => join(data, name));
  return data;
}

const listing = (data: string) => readdirSync(data).filter((name) => !/^(?:lock\.db|reserve)/.test(name));

test.each<[string, string, (at: (name: string) => string) => void]>([
  ["records.db is missing", "lost its records: records.db is missing", (at) => rmSync(at("records.db"))],
  ["records.db is empty", "lost its records: records.db is empty", (at) => truncateSync(at("records.db"))],
  ["telemetry.db is missing", "lost its telemetry: telemetry.db is missing", (at) => rmSync(at("telemetry.db"))],
  ["telemetry.db is empty", "lost its telemetry: telemetry.db is empty", (at) => truncateSync(at("telemetry.db"))],
  [
    "records.db has lost its log before it was moved into the file",
    "lost its records: records.db holds no tables",
    (at) => {
      rmSync(at("records.db"));
      new Connection(at("records.db"), "write").close();
    },
  ],
  [
    "installation.json is missing and records.db is empty",
    "lost its records",
    (at) => {
      rmSync(at("installation.json"));
      truncateSync(at("records.db"));
    },
  ],
  [
    "only the backups are left",
    "lost its records",
    (at) => {
      mkdirSync(at("backups"));
      copyFileSync(join(cwd, "whole.tar.gz"), at("backups/whole.tar.gz"));
      for (const name of ["records.db", "telemetry.db", "seal.key", "installation.json"]) rmSync(at(name));
    },
  ],
])("a start is refused and changes nothing when %s", async (_, message, change) => {
  const data = copyOf(change);
  const before = listing(data);
  await expect(sitesOf(data)).rejects.toThrow(message);
  await expect(sitesOf(data)).rejects.toThrow("busbar restore FILE --data FOLDER");
  expect(listing(data)).toEqual(before);
  const backup = await call("backup", "half.tar.gz", "--data", data);
  expect(backup).toMatchObject({ code: 1, err: expect.stringMatching(/lost its|not a data folder/) });
});

test("busbar serve says in one message what is lost and what to do", async () => {
  const { code, err } = await serve(copyOf((at) => truncateSync(at("records.db"))));
  expect([code, err]).toEqual([1, expect.stringContaining("records.db is empty (0 bytes)")]);
  expect(err).not.toMatch(/\n {4}at /);
});

test("telemetry that is lost for good begins anew when asked for, and the records stay", async () => {
  const data = copyOf((at) => rmSync(at("telemetry.db")));
  expect(await sitesOf(data, { BUSBAR_TELEMETRY_REPLACE_LOST: "true" })).toBe(site);
  expect(await sitesOf(data)).toBe(site);
});

test("a first start that was cut off goes on, whatever it had made", async () => {
  for (const name of ["records.db", "telemetry.db", "seal.key"]) {
    const data = copyOf((at) => {
      writeMark(at(""), { storage: "embedded", isComplete: false });
      rmSync(at(name));
    });
    expect(await sitesOf(data)).toContain("sites");
    expect(readFileSync(join(data, "installation.json"), "utf8")).toContain('"complete":true');
  }
});

/** The backup has three files of the data folder. */
const PLACING = [1, 2, 3].map((pass) => `restore.placing:${pass}`);
const POINTS = ["restore.begun", ...PLACING, "restore.placed", "restore.marked"];

test.each(POINTS)("a restore that is killed at %s is never served, and the next one starts over", async (point) => {
  const data = join(tempFolder(), "data");
  const words = ["restore", "whole.tar.gz", "--data", data] as const;
  const restoreUntil = (failpoint: string) => callBusbar(cwd, words, { BUSBAR_FAILPOINT: failpoint });
  const killed = await restoreUntil(point);
  expect(Number.isNaN(killed.code)).toBe(true);
  if (point === "restore.marked") {
    expect(await sitesOf(data)).toBe(site);
    expect(existsSync(join(data, "restoring"))).toBe(false);
    return;
  }
  await expect(sitesOf(data)).rejects.toThrow(`Run it again: busbar restore FILE --data ${data}`);
  const backup = await call("backup", "half.tar.gz", "--data", data);
  expect(backup).toMatchObject({ code: 1, err: expect.stringContaining("was cut off") });
  // Killed a second time, while it takes away what the first one left.
  expect(Number.isNaN((await restoreUntil("restore.undone")).code)).toBe(true);
  await expect(sitesOf(data)).rejects.toThrow("Run it again");
  expect(await call(...words)).toMatchObject({ code: 0 });
  expect(await sitesOf(data)).toBe(site);
});

test("a restore that fails leaves the folder as it was, and never deletes what was there", async () => {
  const data = join(tempFolder(), "data");
  mkdirSync(data);
  copyFileSync(join(cwd, "whole.tar.gz"), join(data, "demo.json"));
  mkdirSync(join(data, "restoring"));
  const [before, another] = [readFileSync(join(data, "demo.json")), join(cwd, "demo.tar.gz")];
  const withDemo = copyOf((at) => copyFileSync(join(cwd, "whole.tar.gz"), at("demo.json")));
  expect(await call("backup", another, "--data", withDemo)).toMatchObject({ code: 0 });
  const refused = await call("restore", another, "--data", data);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("already holds demo.json") });
  expect(readFileSync(join(data, "demo.json"))).toEqual(before);
  expect(listing(data)).toEqual(["demo.json"]);
});

test("a folder whose records are in PostgreSQL, and a database that is empty, are not begun anew", async () => {
  const onDatabase = (url: string) => ({ BUSBAR_DATABASE_URL: url, BUSBAR_DATABASE_ALLOW_LOSS: "true" });
  const [first, empty] = [onDatabase(await server.database("first")), onDatabase(await server.database("empty"))];
  const node = join(tempFolder(), "node");
  mkdirSync(node);
  // A key that the operator has copied is no installation: nodes join with it.
  copyFileSync(join(whole, "seal.key"), join(node, "seal.key"));
  await sitesOf(node, first);
  await expect(sitesOf(node)).rejects.toThrow("belongs to a node whose records are in PostgreSQL");
  await expect(sitesOf(node, empty)).rejects.toThrow("its database is empty");
  await expect(sitesOf(node, empty)).rejects.toThrow("pg_restore");
  await expect(sitesOf(whole, empty)).rejects.toThrow("Move the installation there: busbar migrate");
  expect(await sitesOf(node, first)).toContain("sites");
});

test("a move into a folder that is killed while its files come into place is not served, and goes on", async () => {
  const url = await server.database("moved");
  const source = copyOf(() => {});
  const series = await openSeries(
    sqliteChunks(join(source, "telemetry.db")),
    { graceMs: 0, maxHotPoints: 1e6, readers: 1 },
    (error) => {
      throw error;
    },
  );
  await series.append([{ deviceId: "a", at: instant(3_600_000), values: new Map([["power", 1]]) }]);
  await series.close();
  await migrate({ from: source, to: url, say: () => {} });
  for (const point of ["move.placing:1", "move.placing:2", "move.placed"]) {
    const data = join(tempFolder(), "data");
    mkdirSync(data);
    copyFileSync(join(whole, "seal.key"), join(data, "seal.key"));
    const killed = await callBusbar(cwd, ["migrate", "--from", url, "--to", data], { BUSBAR_FAILPOINT: point });
    expect(Number.isNaN(killed.code)).toBe(true);
    if (point !== "move.placed") {
      await expect(sitesOf(data)).rejects.toThrow("Run it again: busbar migrate");
      await migrate({ from: url, to: data, say: () => {} });
    }
    expect(await sitesOf(data)).toBe(site);
  }
});
