import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { createSqliteChunkStore } from "#store/series/sqlite/sqlite-chunk-store.ts";
import { Connection } from "#store/sqlite/connection.ts";
import type { HotSeries } from "./engine.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { openReaders } from "./readers.ts";

/** A store without anything in it, and threads that read it. */
function createBench(settings: Parameters<typeof openReaders>[1]) {
  const folder = mkdtempSync(join(tmpdir(), "busbar-readers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "telemetry.db");
  const database = new Connection(file, "write");
  createSqliteChunkStore(database);
  onTestFinished(() => database.close());
  const readers = openReaders(sqliteChunks(file), settings, (error) => expect.fail(error.message));
  onTestFinished(() => readers.close());
  return readers;
}

test("threads start when they are needed, and those that are not needed any more end but for one", async () => {
  const readers = createBench({ count: 3, spareMs: 20 });
  const query = { from: 0, to: 1, items: [] };
  const bounds = [1, 2, 3, 4].map(() => readers.bound(query, [], "token t"));
  expect(readers.threads()).toBe(3);
  await Promise.all(bounds);
  while (readers.threads() > 1) await new Promise((resolve) => setImmediate(resolve));
  expect(await readers.bound(query, [], "token t")).toBe(0);
  expect(readers.threads()).toBe(1);
});

test("a thread that cannot read the file takes its own queries with it, and the next query has another", async () => {
  const folder = mkdtempSync(join(tmpdir(), "busbar-readers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "telemetry.db");
  const troubles: Error[] = [];
  const readers = openReaders(sqliteChunks(file), { count: 1 }, (error) => troubles.push(error));
  onTestFinished(() => readers.close());
  const query = { from: 0, to: 1, items: [] };
  await expect(readers.bound(query, [], "a")).rejects.toMatchObject({ code: "storage_unavailable" });
  expect([troubles.length, readers.threads()]).toEqual([1, 0]);
  const database = new Connection(file, "write");
  createSqliteChunkStore(database);
  expect(await readers.bound(query, [], "a")).toBe(0);
  database.close();
});

/** One value, carried on over a year of seconds: far more than one piece. */
const endless = (): { query: SeriesQuery; hot: readonly HotSeries[]; rendering: undefined } => {
  const column = { kind: "number", count: 1, times: Float64Array.of(0), values: Float64Array.of(1) } as const;
  const item = {
    series: 1,
    device: 1,
    kind: "number",
    aggregation: "last",
    granularityMs: 1_000,
    lookAroundMs: 0,
  } as const;
  const query = { from: 0, to: 31_536_000_000, items: [item] };
  return { query, hot: [{ series: 1, columns: [column] }], rendering: undefined };
};

test("when there is no place left, the answer that nobody has read from for longest gives up its own", async () => {
  const readers = createBench({ count: 1, idleMs: 50 });
  const [first, ...others] = await Promise.all(
    Array.from({ length: 64 }, (_, n) => readers.open(endless(), `token ${n % 2}`)),
  );
  await expect.poll(() => readers.open(endless(), "token 2")).toBeDefined();
  await first?.next();
  await expect(first?.next()).rejects.toThrow("read too slowly");
  const [another] = others;
  await another?.next();
  expect((await another?.next())?.done).toBe(false);
});

test("unsealed points are given to the thread, which answers with all of them", async () => {
  const readers = createBench({ count: 1 });
  const [asked] = endless().query.items;
  const times = Float64Array.from({ length: 5_000 }, (_, i) => i * 1_000);
  const column = { kind: "number", count: times.length, times, values: times.slice() } as const;
  const hot = [1, 2].map((series) => ({ series, columns: [column] }));
  const items = hot.map(({ series }) => ({ ...(asked as SeriesItem), series, lookAroundMs: undefined }));
  const rendering = { renderer: "csv", settings: { header: "" } } as const;
  const rows = await readers.open({ query: { from: 0, to: 5_000_000, items }, hot, rendering }, "a");
  expect(times).toHaveLength(0);
  let text = "";
  for await (const { piece } of rows) text += Buffer.from(piece).toString();
  const expected = Array.from({ length: 5_000 }, (_, i) => `${i},${i * 1_000},${i * 1_000}\n`);
  expect(text).toBe(expected.join(""));
});

test("a requester has half of the places at most, and its many queries leave another's the next turn", async () => {
  const readers = createBench({ count: 1 });
  const order: string[] = [];
  const read = async (requester: string) => {
    const rows = await readers.open(endless(), requester);
    order.push(requester);
    return rows;
  };
  const many = Array.from({ length: 40 }, () => read("greedy").catch(() => order.push("refused")));
  const other = await read("other");
  // Two were handed to the thread before the other came, and keys take turns from then on.
  expect(order.filter((one) => one === "greedy").length).toBeLessThanOrEqual(4);
  await Promise.all(many);
  expect(order.filter((one) => one === "refused")).toHaveLength(8);
  // One that is dropped while it waits for its turn frees its place and its turn.
  const reading = other.next().then(() => other.next());
  await other.return?.();
  await reading.catch(() => {});
  expect(await (await read("other")).next()).toMatchObject({ done: false });
});

test("the unsealed points of queries under way are bounded, of one requester and of all", async () => {
  const budgets = createByteBudgets();
  const readers = createBench({ count: 1, budgets });
  const { query } = endless();
  const points = 1024 * 1024;
  const open = (requester: string) => {
    const column = { kind: "number", count: 1, times: new Float64Array(points), values: Float64Array.of(1) } as const;
    return readers.open({ query, hot: [{ series: 1, columns: [column] }], rendering: undefined }, requester);
  };
  const rows = [];
  for (const requester of ["a", "a", "a", "b", "b", "b"]) rows.push(await open(requester));
  await expect(open("a").then(() => open("a"))).rejects.toMatchObject({ code: "overloaded" });
  const used = () =>
    budgets
      .list()
      .find(({ name }) => name === "query_points")
      ?.used() ?? 0;
  expect(used()).toBeLessThanOrEqual(64 * 1024 * 1024);
  for (const one of rows) await one.return?.();
  expect(used()).toBeLessThan(16 * 1024 * 1024);
});
