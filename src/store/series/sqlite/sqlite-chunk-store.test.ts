import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChunkHead } from "#store/series/chunk.ts";
import { encodeSegment } from "#store/series/segment-codec.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { FIRST_SCHEMA, STEPS } from "./schema.ts";
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

test("a file with data gets the steps that it lacks, once", async () => {
  const file = join(tempFolder(), "telemetry.db");
  const before = await filled(file);
  const known = await firstHead(before);
  before.close();
  const steps = [
    ...STEPS,
    "ALTER TABLE chunk ADD COLUMN note TEXT; UPDATE chunk SET note = 'old';",
    "CREATE TABLE extra (a INTEGER) STRICT; INSERT INTO extra VALUES (1);",
  ];
  const after = new Connection(file, "write");
  prepareSchema(after, steps.slice(0, -1));
  prepareSchema(after, steps);
  prepareSchema(after, steps);
  expect(await firstHead(after)).toEqual(known);
  expect(after.get("SELECT note FROM chunk")).toEqual({ note: "old" });
  expect(after.all("SELECT a FROM extra")).toEqual([{ a: 1 }]);
  expect(() => prepareSchema(after)).toThrow("last used by a newer Busbar");
  after.close();
  const fresh = new Connection(join(tempFolder(), "telemetry.db"), "write");
  prepareSchema(fresh, steps);
  expect(fresh.all("SELECT a FROM extra")).toEqual([{ a: 1 }]);
  fresh.close();
});

test.each([
  [1, "made by a development version"],
  [FIRST_SCHEMA - 1, "made by a development version"],
  [FIRST_SCHEMA + STEPS.length + 1, "last used by a newer Busbar"],
])("a file of schema %i is left alone: it was %s", async (version, message) => {
  const file = join(tempFolder(), "telemetry.db");
  const database = await filled(file);
  database.script(`PRAGMA user_version = ${version}`);
  expect(() => createSqliteChunkStore(database)).toThrow(message);
  expect(database.get("PRAGMA user_version")).toEqual({ user_version: version });
  database.close();
});
