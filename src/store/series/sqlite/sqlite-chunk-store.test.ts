import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChunkHead } from "#store/series/chunk.ts";
import { encodeSegment } from "#store/series/segment-codec.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { createSqliteReader } from "./sqlite-chunk-reader.ts";
import { createSqliteChunkStore } from "./sqlite-chunk-store.ts";

const HOUR = 3_600_000;

/** One series of an hour at a point a second. */
async function filled(file: string): Promise<Connection> {
  const database = new Connection(file, "write");
  const store = createSqliteChunkStore(database);
  const times = Float64Array.from({ length: 3_600 }, (_, i) => i * 1_000);
  const values = times.map((at) => at / 8_000);
  const segment = encodeSegment(
    { device: 1, start: 0, span: HOUR },
    new Map([[1, { kind: "number", count: 3_600, times, values }]]),
  );
  await store.commit({
    definitions: [{ series: 1, device: 1, deviceId: "d", attribute: "power", kind: "number" }],
    segments: [segment],
  });
  return database;
}

async function firstHead(database: Connection): Promise<ChunkHead | undefined> {
  const wanted = () => ({ parts: false, content: false });
  const reads = { series: 1, device: 1, from: 0, to: HOUR, lookBack: undefined, at: 0, wanted };
  return await createSqliteReader(database)
    .open([reads])
    .view((view) => view.nextChunks(reads, 0)?.[0]);
}

test("a file of the first shape is taken over, and its chunks are read without parts", async () => {
  const file = join(tempFolder(), "telemetry.db");
  const before = await filled(file);
  const known = await firstHead(before);
  before.script("DROP TRIGGER chunk_added; DROP TRIGGER chunk_deleted");
  expect(known?.grain).toBe(60_000);
  for (const table of ["device", "series", "journal", "segment", "chunk", "latest"]) {
    before.script(`ALTER TABLE ${table} DROP COLUMN checksum`);
  }
  for (const column of ["parts", "grain", "head_checksum", "parts_checksum"]) {
    before.script(`ALTER TABLE chunk DROP COLUMN ${column}`);
  }
  before.script(
    "DROP TABLE held; DROP TABLE journal_damaged; DROP TABLE definition; DROP TABLE tally; PRAGMA user_version = 1",
  );
  before.close();
  const after = new Connection(file, "write");
  createSqliteChunkStore(after);
  const chunk = await firstHead(after);
  expect(chunk).toEqual({ ...known, grain: 0 });
  expect(after.get("PRAGMA user_version")).toEqual({ user_version: 3 });
  after.close();
});

test("a file of a newer shape is left alone", async () => {
  const file = join(tempFolder(), "telemetry.db");
  const database = await filled(file);
  database.script("PRAGMA user_version = 5");
  expect(() => createSqliteChunkStore(database)).toThrow("last used by a newer Busbar");
  database.close();
});
