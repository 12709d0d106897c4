import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Connection } from "./connection.ts";
import { migrate, readMigrations } from "./migrate.ts";

const FIRST = { number: 1, name: "0001-first.sql", sql: "CREATE TABLE one (a INTEGER) STRICT;\n", digest: "d1" };
const SECOND = {
  number: 2,
  name: "0002-second.sql",
  sql: "-- About two; and more;\nCREATE TABLE two (\n  a TEXT -- JSON; really\n) STRICT; -- the end\nINSERT INTO one VALUES (2);\n",
  digest: "d2",
};

test("a new database gets every migration, once", () => {
  const database = openDatabase();
  migrate(database, [FIRST, SECOND]);
  migrate(database, [FIRST, SECOND]);
  expect(tables(database)).toEqual(["migration", "one", "two"]);
  expect(database.all("SELECT a FROM one")).toEqual([{ a: 2 }]);
  expect(database.all("SELECT number, name FROM migration")).toEqual([
    { number: 1, name: "0001-first.sql" },
    { number: 2, name: "0002-second.sql" },
  ]);
});

test("an older database gets only what it lacks", () => {
  const database = openDatabase();
  migrate(database, [FIRST]);
  database.run("INSERT INTO one VALUES (1)");
  migrate(database, [FIRST, SECOND]);
  expect(database.all("SELECT a FROM one")).toEqual([{ a: 1 }, { a: 2 }]);
});

test("a database of a newer Busbar is left alone, with a word about what to do", () => {
  const database = openDatabase();
  migrate(database, [FIRST, SECOND]);
  expect(() => migrate(database, [FIRST])).toThrow(
    "the records were last used by a newer Busbar (migration 2 0002-second.sql; this one knows up to 1). " +
      "Use that version, or restore a backup from before the upgrade",
  );
  expect(tables(database)).toEqual(["migration", "one", "two"]);
});

test("a database of a development version is left alone, with a word about what to do", () => {
  const database = openDatabase();
  migrate(database, [{ ...FIRST, name: "0001-records.sql" }, SECOND]);
  expect(() => migrate(database, [FIRST])).toThrow(
    "this installation was made by a development version of Busbar, before the first release, and cannot be upgraded. " +
      "Use an empty data folder or database; to keep telemetry, export it with that version first (busbar export)",
  );
  expect(tables(database)).toEqual(["migration", "one", "two"]);
});

test("a migration that was edited after it was applied is refused", () => {
  const database = openDatabase();
  migrate(database, [FIRST]);
  expect(() => migrate(database, [{ ...FIRST, digest: "edited" }, SECOND])).toThrow(
    "migration 0001-first.sql differs from the one that made these records",
  );
  expect(tables(database)).toEqual(["migration", "one"]);
});

test("a migration that fails leaves nothing of itself", () => {
  const database = openDatabase();
  const broken = { ...SECOND, sql: "CREATE TABLE two (a TEXT) STRICT;\nCREATE TABLE one (a TEXT) STRICT;\n" };
  expect(() => migrate(database, [FIRST, broken])).toThrow("table one already exists");
  expect(tables(database)).toEqual(["migration"]);
  migrate(database, [FIRST]);
  expect(() => migrate(database, [FIRST, broken])).toThrow("table one already exists");
  expect(tables(database)).toEqual(["migration", "one"]);
  expect(database.inTransaction).toBe(false);
  migrate(database, [FIRST, SECOND]);
  expect(tables(database)).toEqual(["migration", "one", "two"]);
});

test("the migrations of this version are numbered without a gap and make a sound database", () => {
  const migrations = readMigrations();
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  const database = openDatabase();
  migrate(database);
  expect(database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(database.all("PRAGMA foreign_key_check")).toEqual([]);
});

/** A search in such a table compares whole rows, so each of its rows has to be small: below 64 KiB. */
test("tables whose rows are their own index hold no values of which others choose the size", () => {
  const database = openDatabase();
  migrate(database);
  const found = database.all("SELECT name FROM sqlite_schema WHERE sql LIKE '%WITHOUT ROWID%' ORDER BY name");
  expect(found.map((row) => row["name"])).toEqual([
    ...["alert", "audit", "blueprint", "counter_correction"],
    ...["device", "device_credential", "device_log", "device_log_size"],
    ...[
      "event_site",
      "execution_day",
      "execution_hour",
      "gateway",
      "idempotency",
      "join_code",
      "link_change",
      "link_hour",
      "rollout",
      "rollout_device",
      "session",
      "site",
      "telemetry_retention",
    ],
    ...["token", "webhook"],
  ]);
});

function openDatabase(): Connection {
  const database = new Connection(join(tempFolder(), "records.db"), "write");
  onTestFinished(() => database.close());
  return database;
}

function tables(database: Connection): readonly unknown[] {
  return database.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").map((row) => row["name"]);
}
