import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "#store/sqlite/connection.ts";
import type { HotSeries } from "./engine.ts";
import type { SeriesQuery } from "./query.ts";
import { openReaders } from "./readers.ts";
import { createSqliteKeeper } from "./sqlite/sqlite-keeper.ts";

/** A store without anything in it, and threads that read it. */
function createBench(settings: Parameters<typeof openReaders>[1]) {
  const folder = mkdtempSync(join(tmpdir(), "busbar-readers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "telemetry.db");
  const database = new Connection(file, "write");
  createSqliteKeeper(database);
  onTestFinished(() => database.close());
  const readers = openReaders(file, settings, (error) => expect.fail(error.message));
  onTestFinished(() => readers.close());
  return readers;
}

test("threads start when they are needed, and those that are not needed any more end but for one", async () => {
  const readers = createBench({ count: 3, spareMs: 20 });
  const query = { from: 0, to: 1, items: [] };
  const bounds = [1, 2, 3, 4].map(() => readers.bound(query, []));
  expect(readers.threads()).toBe(3);
  await Promise.all(bounds);
  while (readers.threads() > 1) await new Promise((resolve) => setImmediate(resolve));
  expect(await readers.bound(query, [])).toBe(0);
  expect(readers.threads()).toBe(1);
});

/** One value, carried on over a year of seconds: far more than one piece. */
const endless = (): [SeriesQuery, readonly HotSeries[]] => {
  const column = { kind: "number", count: 1, times: Float64Array.of(0), values: Float64Array.of(1) } as const;
  const item = {
    series: 1,
    device: 1,
    kind: "number",
    aggregation: "last",
    granularityMs: 1_000,
    lookAroundMs: 0,
  } as const;
  return [{ from: 0, to: 31_536_000_000, items: [item] }, [{ series: 1, columns: [column] }]];
};

test("when there is no place left, the answer that nobody has read from for longest gives up its own", async () => {
  const readers = createBench({ count: 1, idleMs: 50 });
  const [first, ...others] = await Promise.all(Array.from({ length: 64 }, () => readers.open(...endless())));
  await expect.poll(() => readers.open(...endless()), { timeout: 5_000 }).toBeDefined();
  await first?.next();
  await expect(first?.next()).rejects.toThrow("read too slowly");
  const [another] = others;
  await another?.next();
  expect((await another?.next())?.done).toBe(false);
});
