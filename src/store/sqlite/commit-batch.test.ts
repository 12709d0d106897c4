import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDevice, makeEntry, makeSite } from "../../../test/support/records.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { commitBatch, type WriteAnswer, type WriteRequest } from "./commit-batch.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";

test("a refused write is undone alone, the others of its batch are stored", async () => {
  const database = openDatabase();
  const site = makeSite();
  const requests = numbered([
    insertSite(site),
    { name: "insertDevice", input: { device: makeDevice(site.id, { slug: "a" }), trail: makeEntry() } },
    { name: "insertDevice", input: { device: makeDevice(site.id, { slug: "a" }), trail: makeEntry() } },
    { name: "insertDevice", input: { device: makeDevice(site.id, { slug: "b" }), trail: makeEntry() } },
  ]);
  expect((await commitBatch(database, requests)).map(codeOf)).toEqual(["ok", "ok", "slug_taken", "ok"]);
  expect(slugs(database)).toEqual(["a", "b"]);
  expect(count(database, "audit")).toBe(3);
});

test("a write that fails by a fault is undone alone too, and its answer says what happened", async () => {
  const database = openDatabase();
  const site = makeSite();
  const broken = { name: "insertSite", input: { site: { ...makeSite(), name: null }, trail: makeEntry() } } as const;
  const requests = numbered([insertSite(site), insertSite(site), broken, insertSite(makeSite())]);
  const answers = await commitBatch(database, requests);
  expect(answers.map(codeOf)).toEqual(["ok", "fault", "fault", "ok"]);
  expect(answers[1]).toMatchObject({ fault: expect.stringContaining("UNIQUE constraint failed: site.id") });
  expect(count(database, "site")).toBe(2);
  expect(count(database, "audit")).toBe(2);
});

test("a full disk refuses the whole batch and stores nothing of it, until there is room again", async () => {
  const database = openDatabase();
  await commitBatch(database, numbered([insertSite(makeSite())]));
  const pages = Number(database.get("PRAGMA page_count")?.["page_count"]);
  database.script(`PRAGMA max_page_count = ${pages + 1}`);
  const batch = () => numbered([makeSite(), bigSite(), makeSite()].map(insertSite));
  for (let attempt = 0; attempt < 3; attempt++) {
    expect((await commitBatch(database, batch())).map(codeOf)).toEqual([
      "storage_full",
      "storage_full",
      "storage_full",
    ]);
    expect(count(database, "site")).toBe(1);
    expect(count(database, "audit")).toBe(1);
  }
  expect(database.inTransaction).toBe(false);
  database.script("PRAGMA max_page_count = 100000");
  expect((await commitBatch(database, batch())).map(codeOf)).toEqual(["ok", "ok", "ok"]);
  expect(count(database, "site")).toBe(4);
});

test("a file that another program holds refuses the whole batch as a passing trouble", async () => {
  const folder = tempFolder();
  const database = openDatabase(folder);
  const other = new Connection(join(folder, "records.db"), "write");
  database.script("PRAGMA busy_timeout = 1");
  other.script("BEGIN IMMEDIATE");
  const batch = numbered([insertSite(makeSite()), insertSite(makeSite())]);
  expect((await commitBatch(database, batch)).map(codeOf)).toEqual(["storage_unavailable", "storage_unavailable"]);
  other.script("ROLLBACK");
  other.close();
  expect((await commitBatch(database, batch)).map(codeOf)).toEqual(["ok", "ok"]);
});

type Write = Pick<WriteRequest, "name" | "input">;

function openDatabase(folder = tempFolder()): Connection {
  const database = new Connection(join(folder, "records.db"), "write");
  onTestFinished(() => database.close());
  migrate(database);
  return database;
}

function insertSite(site: ReturnType<typeof makeSite>): Write {
  return { name: "insertSite", input: { site, trail: makeEntry() } };
}

/** Too big for one page. */
function bigSite(): ReturnType<typeof makeSite> {
  return makeSite({ name: "x".repeat(100_000) });
}

function numbered(writes: readonly Write[]): readonly WriteRequest[] {
  return writes.map((write, id) => ({ id, ...write }));
}

function codeOf(answer: WriteAnswer): string {
  if ("refusals" in answer) return answer.refusals[0].code;
  return "fault" in answer ? "fault" : "ok";
}

function count(database: Connection, table: "site" | "audit"): unknown {
  return database.get(`SELECT count(*) AS rows FROM ${table}`)?.["rows"];
}

function slugs(database: Connection): readonly unknown[] {
  return database.all("SELECT slug FROM device ORDER BY slug").map((row) => row["slug"]);
}
