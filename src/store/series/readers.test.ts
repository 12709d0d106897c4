import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "#store/sqlite/connection.ts";
import { openReaders } from "./readers.ts";
import { createSqliteKeeper } from "./sqlite/sqlite-keeper.ts";

test("threads start when they are needed, and those that are not needed any more end but for one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "busbar-readers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "telemetry.db");
  const database = new Connection(file, "write");
  createSqliteKeeper(database);
  onTestFinished(() => database.close());
  const readers = openReaders(file, { count: 3, spareMs: 20 }, (error) => expect.fail(error.message));
  onTestFinished(() => readers.close());
  const query = { from: 0, to: 1, items: [] };

  const bounds = [1, 2, 3, 4].map(() => readers.bound(query, []));
  expect(readers.threads()).toBe(3);
  await Promise.all(bounds);
  while (readers.threads() > 1) await new Promise((resolve) => setImmediate(resolve));
  expect(await readers.bound(query, [])).toBe(0);
  expect(readers.threads()).toBe(1);
});
