import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { DamagedPiece } from "#store/series/checksum.ts";
import { encodeSegment } from "#store/series/segment-codec.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { createSqliteChunkStore } from "./sqlite-chunk-store.ts";
import { createCheckComplete } from "./tally.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function open() {
  const database = new Connection(join(tempFolder(), "telemetry.db"), "write");
  onTestFinished(() => database.close());
  const store = createSqliteChunkStore(database);
  const put = (start: number) => {
    const column = { kind: "number", count: 1, times: Float64Array.of(start), values: Float64Array.of(1) } as const;
    return store.commit({ segments: [encodeSegment({ device: 1, start, span: HOUR }, new Map([[1, column]]))] });
  };
  return { database, put, check: createCheckComplete(database) };
}

test("chunks that were written can be found, also before 1970 and where a series has none", async () => {
  const { put, check } = open();
  for (const start of [-40 * DAY, -HOUR, 0, HOUR, 31 * DAY, 33 * DAY]) await put(start);
  for (const [from, to] of [
    [-50 * DAY, 50 * DAY],
    [0, HOUR],
    [-1, 1],
    [32 * DAY, 32 * DAY + 1],
    [90 * DAY, 91 * DAY],
  ] as const)
    check(1, from, to);
  check(2, 0, DAY);
});

test.each([
  ["is missing", "DELETE FROM chunk WHERE start = 33 * 86400000"],
  ["has another time", "UPDATE chunk SET start = start + 3600000 WHERE start = 33 * 86400000"],
])("a chunk that %s is damage of its own stretch only", async (_, damage) => {
  const { database, put, check } = open();
  for (const start of [0, HOUR, 33 * DAY, 34 * DAY]) await put(start);
  database.script(`DROP TRIGGER chunk_deleted; ${damage}`);
  check(1, 0, DAY);
  const place = { table: "chunk", key: 1, start: 32 * DAY, span: 32 * DAY };
  expect(() => check(1, 0, 35 * DAY)).toThrow(expect.objectContaining({ place }));
  expect(() => database.snapshot(() => check(1, 34 * DAY, 35 * DAY))).toThrow(expect.objectContaining({ place }));
});

test("a chunk that is written during the check is no damage", async () => {
  const { database, put } = open();
  await put(0);
  let calls = 0;
  const writing = Object.create(database, {
    lists: {
      value(...asked: Parameters<Connection["lists"]>) {
        const found = database.lists(...asked);
        void put(++calls * HOUR);
        return found;
      },
    },
  }) as Connection;
  createCheckComplete(writing)(1, 0, DAY);
  expect(calls).toBe(1);
});

test("stretches that were complete are counted again only after another chunk came, and a missing one is found then", async () => {
  const { database, put } = open();
  const lists = vi.spyOn(database, "lists");
  const asked = () => lists.mock.calls.map(([sql]) => (sql.includes("FROM chunk") ? "chunks" : "tally"));
  const check = createCheckComplete(database);
  for (const start of [0, HOUR]) await put(start);
  check(1, 0, DAY);
  check(1, HOUR, DAY);
  expect(asked()).toEqual(["chunks", "tally"]);
  await put(2 * HOUR);
  check(1, 0, DAY);
  expect(asked().slice(2)).toEqual(["tally", "chunks"]);
  database.script("DROP TRIGGER chunk_deleted; DELETE FROM chunk WHERE start = 0");
  await put(3 * HOUR);
  expect(() => check(1, 0, DAY)).toThrow(DamagedPiece);
  expect(() => check(1, 0, DAY)).toThrow(DamagedPiece);
});
