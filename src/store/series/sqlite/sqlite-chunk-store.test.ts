import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeSegment } from "#store/series/segment-codec.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { createSqliteChunkStore } from "./sqlite-chunk-store.ts";

const HOUR = 3_600_000;

/** One series of an hour at a point a second. */
function filled(file: string): Connection {
  const database = new Connection(file, "write");
  const store = createSqliteChunkStore(database);
  const times = Float64Array.from({ length: 3_600 }, (_, i) => i * 1_000);
  const values = times.map((at) => at / 8_000);
  const { segment, chunks } = encodeSegment(
    { device: 1, start: 0, span: HOUR },
    new Map([[1, { kind: "number", count: 3_600, times, values }]]),
  );
  store.commit(() => {
    store.define({ series: 1, device: 1, deviceId: "d", attribute: "power", kind: "number" });
    store.putSegment(segment, chunks);
  });
  return database;
}

test("a file of the first shape is taken over, and its chunks are read without parts", () => {
  const file = join(tempFolder(), "telemetry.db");
  const before = filled(file);
  const [known] = createSqliteChunkStore(before).nextChunks(1, 0, HOUR);
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
  const [chunk] = createSqliteChunkStore(after).nextChunks(1, 0, HOUR);
  expect(chunk).toEqual({ ...known, grain: 0 });
  expect(after.get("PRAGMA user_version")).toEqual({ user_version: 3 });
  after.close();
});

test("a day with very much text stays in hours, others are to be joined", () => {
  const database = filled(join(tempFolder(), "telemetry.db"));
  const store = createSqliteChunkStore(database);
  const put = (device: number, bytes: number) => {
    const times = Float64Array.of(25 * HOUR);
    const column = { kind: "text", count: 1, times, values: ["x".repeat(bytes)] } as const;
    const place = { device, start: 25 * HOUR, span: HOUR };
    const { segment, chunks } = encodeSegment(place, new Map([[device * 10, column]]));
    store.commit(() => {
      store.define({ series: device * 10, device, deviceId: `d${device}`, attribute: "note", kind: "text" });
      store.putSegment(segment, chunks);
    });
  };
  put(2, 33 * 1024 * 1024);
  put(3, 1024 * 1024);
  expect(store.daysToCompact(100 * HOUR)).toEqual([{ device: 1, day: 0 }]);
  store.commit(() => store.deleteSegment(1, 0));
  for (let i = 0; i < 2; i++) expect(store.daysToCompact(100 * HOUR)).toEqual([{ device: 3, day: 1 }]);
  store.commit(() => store.deleteSegment(3, 25 * HOUR));
  expect(store.daysToCompact(100 * HOUR)).toEqual([]);
  database.close();
});

test("a file of a newer shape is left alone", () => {
  const file = join(tempFolder(), "telemetry.db");
  const database = filled(file);
  database.script("PRAGMA user_version = 5");
  expect(() => createSqliteChunkStore(database)).toThrow("last used by a newer Busbar");
  database.close();
});
