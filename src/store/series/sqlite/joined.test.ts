import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DAY_MS } from "#core/time/hour.ts";
import { CHANGES_MS } from "#store/series/chunk-reader.ts";
import { encodeSegment } from "#store/series/segment-codec.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { applyChanges, copyChanges, copyTelemetry, noteContents } from "./copy-telemetry.ts";
import { readJoined } from "./joined.ts";
import { createSqliteChunkStore } from "./sqlite-chunk-store.ts";

const STRETCH = 600;
const START = STRETCH * CHANGES_MS;
const END = START + CHANGES_MS;

function open(file = join(tempFolder(), "telemetry.db")) {
  const database = new Connection(file, "write");
  onTestFinished(() => database.close());
  const store = createSqliteChunkStore(database, (place) => expect.fail(JSON.stringify(place)));
  const put = (day: number, value: number) => {
    const start = START + day * DAY_MS;
    const times = Float64Array.from({ length: 1_440 }, (_, i) => start + i * 60_000);
    const column = { kind: "number", count: 1_440, times, values: times.map((_, i) => value + (i % 5)) } as const;
    const definitions = [{ series: 1, device: 1, deviceId: "d", attribute: "power", kind: "number" }] as const;
    const segments = [encodeSegment({ device: 1, start, span: DAY_MS }, new Map([[1, column]]))];
    return store.commit({ definitions, segments });
  };
  const read = (level: "days" | "hours") => readJoined(database, { series: 1, stretch: STRETCH, level });
  return { file, database, store, put, read };
}

test("days are joined when their stretch has ended, and again after one of them has changed", async () => {
  const { store, put, read } = open();
  for (const day of [0, 1, 31]) await put(day, day);
  expect(store.joinDays?.(END - 1)).toBe(false);
  expect(read("days")).toBeUndefined();
  expect(store.joinDays?.(END)).toBe(true);
  expect(store.joinDays?.(END)).toBe(false);
  const [days, hours] = [read("days"), read("hours")];
  expect([days, hours]).toEqual([expect.any(Uint8Array), expect.any(Uint8Array)]);
  await put(32, 1);
  expect(read("days")).toEqual(days);
  await put(1, 7);
  expect([read("days"), read("hours")]).toEqual([undefined, undefined]);
  expect(store.joinDays?.(END)).toBe(true);
  expect(read("hours")).not.toEqual(hours);
  await store.drop({ series: [1], devices: [1] }, START + DAY_MS, 10);
  expect(read("days")).toBeUndefined();
});

test("nothing is left of a stretch whose chunks have gone", async () => {
  const { database, store, put } = open();
  for (const day of [0, 1]) await put(day, day);
  expect(store.joinDays?.(END)).toBe(true);
  await store.drop({ series: [1], devices: [1] }, END, 10);
  expect(store.joinDays?.(END)).toBe(true);
  expect(database.all("SELECT * FROM joined")).toEqual([]);
});

test.each(["days", "hours"] as const)(
  "flipped bytes of joined %s are not read, and made anew by the scrub",
  async (level) => {
    const { database, store, put, read } = open();
    for (const day of [0, 1]) await put(day, day);
    expect(store.joinDays?.(END)).toBe(true);
    const right = read(level);
    const wrong = Uint8Array.from(right ?? [], (byte, i) => (i === 9 ? byte ^ 4 : byte));
    database.run(`UPDATE joined SET ${level} = ?`, wrong);
    expect(read(level)).toBeUndefined();
    expect(store.joinDays?.(END)).toBe(false);
    for (let step = 0; step < 4; step++) await store.scrub();
    expect(store.joinDays?.(END)).toBe(true);
    expect(read(level)).toEqual(right);
  },
);

test("a backup of changes leaves nothing joined of stretches that have changed", async () => {
  const { file, store, put } = open();
  const [full, index, changes] = ["full", "index", "changes"].map((name) => join(tempFolder(), `${name}.db`)) as [
    string,
    string,
    string,
  ];
  for (const day of [0, 1, 32, 33]) await put(day, day);
  while (store.joinDays?.(END + CHANGES_MS));
  copyTelemetry(file, full);
  noteContents(full, index, "one");
  await put(1, 9);
  // What is joined of them now is not in the backup.
  expect(store.joinDays?.(END)).toBe(true);
  copyChanges(file, index, changes);
  applyChanges(full, changes);
  const restored = open(full);
  const joined = "SELECT stretch FROM joined WHERE days IS NOT NULL";
  expect(restored.database.all(joined)).toEqual([{ stretch: STRETCH + 1 }]);
  expect(restored.store.joinDays?.(END)).toBe(true);
  expect(restored.read("hours")).toEqual(open(file).read("hours"));
});
