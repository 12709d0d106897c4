import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "#store/sqlite/connection.ts";
import { openReaders } from "./readers.ts";
import { sqliteChunks } from "./sqlite/open-sqlite-chunks.ts";
import { createSqliteChunkStore } from "./sqlite/sqlite-chunk-store.ts";
import { warmedUp } from "./warm-up.ts";

function openBench() {
  const folder = mkdtempSync(join(tmpdir(), "busbar-warm-up-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "telemetry.db");
  const database = new Connection(file, "write");
  createSqliteChunkStore(database);
  onTestFinished(() => database.close());
  const readers = openReaders(sqliteChunks(file), { count: 2 }, (error) => expect.fail(error.message));
  onTestFinished(() => readers.close());
  return readers;
}

test("a thread is started, and answers its query to the end", async () => {
  const readers = openBench();
  const { promise: read, resolve } = Promise.withResolvers<number>();
  const watched: Parameters<typeof warmedUp>[0] = {
    ...readers,
    async open(...asked) {
      const rows = await readers.open(...asked);
      let count = 0;
      const next = rows.next.bind(rows);
      rows.next = async () => {
        const result = await next();
        if (result.done) resolve(count);
        else count += (result.value.piece as Uint8Array).length;
        return result;
      };
      return rows;
    },
  };
  warmedUp(watched, 1, (error) => expect.fail(error.message));
  expect(await read).toBeGreaterThan(100);
  expect(readers.threads()).toBe(1);
});

test("nothing is started when there is a thread, when it is ended before, and without a time", async () => {
  const opened: string[] = [];
  const open = () => {
    opened.push("thread");
    return Promise.reject(new Error("not now"));
  };
  const troubles: Error[] = [];
  const start = (threads: number, afterMs: number | undefined) =>
    warmedUp({ threads: () => threads, open, close: async () => {} }, afterMs, (error) => troubles.push(error));
  start(1, 1);
  await start(0, 1).close();
  start(0, undefined);
  start(0, 1);
  await expect.poll(() => troubles.length).toBe(1);
  expect(opened).toEqual(["thread"]);
});
