import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Connection, diskTrouble } from "./connection.ts";

test("a writing connection keeps a write-ahead log and waits for the disk at every commit", () => {
  const database = new Connection(join(tempFolder(), "records.db"), "write");
  expect(database.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
  expect(database.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
  expect(database.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
  database.close();
});

test("a file that cannot have a write-ahead log is refused", () => {
  expect(() => new Connection(":memory:", "write")).toThrow("SQLite kept journal_mode=memory where WAL is needed");
});

test("a reading connection writes nothing", () => {
  const file = join(tempFolder(), "records.db");
  const writer = new Connection(file, "write");
  writer.script("CREATE TABLE t (a INTEGER) STRICT");
  const reader = new Connection(file, "read");
  expect(() => reader.run("INSERT INTO t VALUES (1)")).toThrow("the records cannot be read or written now");
  writer.run("INSERT INTO t VALUES (1)");
  expect(reader.all("SELECT a FROM t")).toEqual([{ a: 1 }]);
  reader.close();
  writer.close();
});

test("reads of one snapshot see the same records, whatever is written between them", () => {
  const file = join(tempFolder(), "records.db");
  const writer = new Connection(file, "write");
  writer.script("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1)");
  const reader = new Connection(file, "read");
  const seen = () => reader.get("SELECT count(*) AS rows FROM t")?.["rows"];
  const [before, after] = reader.snapshot(() => {
    const first = seen();
    writer.run("INSERT INTO t VALUES (2)");
    return [first, seen()];
  });
  expect([before, after, seen()]).toEqual([1, 1, 2]);
  expect(() => reader.snapshot(() => reader.get("SELECT absent"))).toThrow("no such column");
  expect(reader.inTransaction).toBe(false);
  reader.close();
  writer.close();
});

test("a statement whose limit is bound is compiled once", () => {
  const database = new Connection(join(tempFolder(), "records.db"), "write");
  database.script("CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER) STRICT");
  // Much to plan, nothing to read.
  const joins = ["u", "v", "w", "x", "y", "z"].map((name) => `JOIN t AS ${name} ON ${name}.a = t.b`).join(" ");
  const [bound, written] = ["?", "2"].map((limit) => `SELECT t.a FROM t ${joins} ORDER BY t.a LIMIT ${limit}`) as [
    string,
    string,
  ];
  const timed = (sql: string, ...values: number[]) => {
    const began = performance.now();
    for (let times = 0; times < 50; times++) database.get(sql, ...values);
    return performance.now() - began;
  };
  const fastest = { bound: timed(bound, 2), written: timed(written) };
  for (let round = 0; round < 30; round++) {
    fastest.bound = Math.min(fastest.bound, timed(bound, 2));
    fastest.written = Math.min(fastest.written, timed(written));
  }
  // Compiled for each read it is ten and more.
  expect(fastest.bound / fastest.written).toBeLessThan(3);
  database.script("INSERT INTO t VALUES (1, 1), (2, 1), (3, 1)");
  expect(database.all("SELECT a FROM t ORDER BY a LIMIT ? OFFSET ?", 2, 1)).toEqual([{ a: 2 }, { a: 3 }]);
  database.close();
});

test("no commit moves the log into the file; tidying does, once the log is long", () => {
  const file = join(tempFolder(), "records.db");
  const database = new Connection(file, "write");
  database.script("CREATE TABLE t (a BLOB) STRICT");
  const size = statSync(file).size;
  const page = new Uint8Array(4_000);
  for (let pages = 0; pages < 900; pages += 100) {
    database.script("BEGIN");
    for (let row = 0; row < 100; row++) database.run("INSERT INTO t VALUES (?)", page);
    database.script("COMMIT");
    database.tidy();
    expect(statSync(file).size).toBe(size);
  }
  for (let row = 0; row < 100; row++) database.run("INSERT INTO t VALUES (?)", page);
  expect(statSync(file).size).toBe(size);
  database.tidy();
  expect(statSync(file).size).toBeGreaterThan(900 * 4_096);
  database.close();
});

test("a file that is no database is trouble with storage, not a fault", () => {
  expect(() => new Connection(import.meta.filename, "write")).toThrow("the database file is damaged: restore a backup");
});

test.each([
  [13, "storage_full"],
  [5, "storage_unavailable"],
  [5 | (2 << 8), "storage_unavailable"],
  [10, "storage_unavailable"],
  [10 | (4 << 8), "storage_unavailable"], // SQLITE_IOERR_FSYNC
  [8, "storage_unavailable"],
  [11, "storage_unavailable"],
  [14, "storage_unavailable"],
  [26, "storage_unavailable"],
  [19, undefined], // SQLITE_CONSTRAINT
  [19 | (8 << 8), undefined],
  [1, undefined],
])("SQLite's error %i is %s", (errcode, code) => {
  expect(diskTrouble(Object.assign(new Error("from SQLite"), { errcode }))?.code).toBe(code);
});

test("what is no error of SQLite is no trouble with the disk", () => {
  for (const error of [new Error("x"), "x", undefined, { errcode: 13 }]) expect(diskTrouble(error)).toBeUndefined();
});
