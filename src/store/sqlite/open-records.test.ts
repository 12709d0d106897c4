import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { makeEntry, makeSite } from "../../../test/support/records.ts";
import { startScript } from "../../../test/support/script.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openRecords } from "./open-records.ts";

const HOLD = `
  const { openRecords } = await import("#store/sqlite/open-records.ts");
  await openRecords(process.argv[1], (error) => { throw error; });
  console.log("open");
  setInterval(() => {}, 1000);
`;

test("one folder serves one process, and a killed one leaves it free", async () => {
  const folder = tempFolder();
  const holder = startScript(HOLD, { args: [folder] });
  expect(await holder.line()).toBe("open");
  await expect(openRecords(folder, unexpected)).rejects.toThrow("another Busbar already uses this data folder");
  const second = startScript(HOLD, { args: [folder] });
  await expect(second.line()).rejects.toThrow("another Busbar already uses this data folder");
  expect(await second.end).toBe(1);
  holder.child.kill("SIGKILL");
  expect(await holder.end).toBe("SIGKILL");
  await (await openRecords(folder, unexpected)).close();
});

test("one folder is opened once at a time within a process too", async () => {
  const folder = tempFolder();
  const records = await openRecords(folder, unexpected);
  await expect(openRecords(folder, unexpected)).rejects.toThrow("another Busbar already uses this data folder");
  await Promise.all([records.close(), records.close()]);
  await (await openRecords(folder, unexpected)).close();
});

test("the folder is made when missing, and nobody else may read what is in it", async () => {
  const before = process.umask(0);
  onTestFinished(() => {
    process.umask(before);
  });
  const parent = tempFolder();
  const folder = join(parent, "deep", "data");
  const records = await openRecords(folder, unexpected);
  await records.sites.insert(makeSite(), makeEntry());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const modes = readdirSync(folder)
    .filter((name) => name.startsWith("records.db"))
    .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
  expect(modes).toEqual([
    ["records.db", "600"],
    ["records.db-shm", "600"],
    ["records.db-wal", "600"],
  ]);
  await records.close();
});

test("what was stored is there after closing and opening again, without a log beside the file", async () => {
  const folder = tempFolder();
  const site = makeSite();
  const records = await openRecords(folder, unexpected);
  await records.sites.insert(site, makeEntry());
  await records.close();
  expect(readdirSync(folder).filter((name) => name.startsWith("records.db"))).toEqual(["records.db"]);
  await expect(records.sites.insert(makeSite(), makeEntry())).rejects.toMatchObject({ code: "storage_unavailable" });
  const again = await openRecords(folder, unexpected);
  expect(await again.sites.find(site.id)).toEqual(site);
  await again.close();
});

test("records of a newer Busbar are refused with the reason, and the folder is free again", async () => {
  const folder = tempFolder();
  await (await openRecords(folder, unexpected)).close();
  const change = (sql: string) => {
    const database = new DatabaseSync(join(folder, "records.db"));
    database.exec(sql);
    database.close();
  };
  change("INSERT INTO migration VALUES (9999, '9999-future.sql', 'd')");
  await expect(openRecords(folder, unexpected)).rejects.toThrow(
    /last used by a newer Busbar \(migration 9999 9999-future.sql; this one knows up to \d+\)/,
  );
  change("DELETE FROM migration WHERE number = 9999");
  await (await openRecords(folder, unexpected)).close();
});

test("a file that is no database is refused, and opens again once it is gone", async () => {
  const folder = tempFolder();
  const file = join(folder, "records.db");
  writeFileSync(file, "no database ".repeat(1000));
  await expect(openRecords(folder, unexpected)).rejects.toThrow("the database file is damaged: restore a backup");
  rmSync(file);
  await (await openRecords(folder, unexpected)).close();
});

test("records that another process has open are refused, even without the lock file", async () => {
  const folder = tempFolder();
  const first = startScript(
    `const { openRecords } = await import("#store/sqlite/open-records.ts");
     await openRecords(process.argv[1], (error) => { throw error; });
     console.log("open");
     process.stdin.resume();`,
    { args: [folder] },
  );
  await first.line();
  rmSync(join(folder, "lock.db"));
  await expect(openRecords(folder, unexpected)).rejects.toThrow("records.db is open elsewhere");
  // The refused one made a lock file of its own, and holds nothing of it.
  await expect(openRecords(folder, unexpected)).rejects.toThrow("records.db is open elsewhere");
  first.child.kill("SIGKILL");
  await first.end;
  await (await openRecords(folder, unexpected)).close();
});

test("a lock file with rubbish in it is set aside", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "lock.db"), "no database ".repeat(1000));
  await (await openRecords(folder, unexpected)).close();
});

function unexpected(error: Error): never {
  throw error;
}
