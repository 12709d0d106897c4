// Bits of telemetry.db are flipped while nobody uses it, in what it stores and anywhere in the file. Whatever they were: a start succeeds,
// no wrong value is ever given, damage is reported, and what is not damaged is answered.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "#core/app-error.ts";
import { instant } from "#core/time/instant.ts";
import type { SeriesRequest, TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Damage } from "#store/series/damage.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { randomFrom } from "../support/random.ts";
import { readCsv } from "../support/read-csv.ts";
import { roundsOf } from "../support/rounds.ts";

const ROUNDS = {
  stored: roundsOf("flipped bits of stored telemetry"),
  anywhere: roundsOf("flipped bytes of a file"),
};
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Two days in segments of a day, five hours in segments of an hour, one hour in the journal: it lies ahead, so that nothing seals it. */
const START = 40_000 * DAY;
const OPEN_HOUR = START + 2 * DAY + 5 * HOUR;
const END = OPEN_HOUR + HOUR;
const DEVICES = ["meter", "pump"];
const ATTRIBUTES = [
  ["power", "number", (i: number) => Math.round(Math.sin(i) * 1e4) / 100],
  ["energy", "number", (i: number) => i * 3],
  ["running", "boolean", (i: number) => i % 7 < 3],
  ["note", "text", (i: number) => `state ${i % 11}`],
] as const;

interface Opened {
  readonly store: TelemetryStore;
  readonly damage: Damage[];
}

async function open(file: string): Promise<Opened> {
  const damage: Damage[] = [];
  const onTrouble = () => damage.push({ table: "chunk", start: 0, span: 0 });
  const settings = { graceMs: 0, maxHotPoints: 1e6, readers: 1, now: () => END, onTrouble };
  const store = await openSeries(sqliteChunks(file), { ...settings, onDamaged: (one) => damage.push(one) }, () => {});
  return { store, damage };
}

const QUERIES: readonly SeriesRequest[] = DEVICES.slice(0, 1).flatMap((deviceId) =>
  ATTRIBUTES.flatMap(([attribute, kind]) => {
    const item = { deviceId, attribute, kind, lookAroundMs: undefined } as const;
    const aggregation = kind === "number" ? "avg" : "last";
    const asked = (from: number, to: number, granularityMs: number) => ({
      requester: "a",
      from: instant(from),
      to: instant(to),
      items: [{ ...item, aggregation, granularityMs } as const],
    });
    return [
      asked(START, END, DAY),
      asked(START, END, 7 * 60_000),
      // No summary of minutes answers this: the points are read.
      asked(START, END, 90_000),
      asked(START + DAY + HOUR, START + DAY + 2 * HOUR, 60_000),
      asked(START + 2 * DAY + HOUR, START + 2 * DAY + 3 * HOUR, 60_000),
      asked(OPEN_HOUR, END, 60_000),
    ];
  }),
);

/** Each answer as text, or undefined where it was refused as damaged. */
async function answers(store: TelemetryStore): Promise<readonly (string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  for (const query of QUERIES) {
    try {
      texts.push(await readCsv(store, query));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect(["storage_damaged", "storage_unavailable"]).toContain(error.code);
      texts.push(undefined);
    }
  }
  return texts;
}

const snapshots = (store: TelemetryStore) =>
  DEVICES.flatMap((device) => ATTRIBUTES.map(([attribute]) => store.latest(device).get(attribute)));

const folder = mkdtempSync(join(tmpdir(), "busbar-flipped-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const original = join(folder, "original", "telemetry.db");
let right: readonly (string | undefined)[] = [];
let latest: ReturnType<typeof snapshots> = [];

beforeAll(async () => {
  mkdirSync(join(folder, "original"));
  const { store } = await open(original);
  const append = (from: number, to: number) =>
    store.append(
      DEVICES.flatMap((deviceId) =>
        Array.from({ length: (to - from) / 60_000 }, (_, i) => ({
          deviceId,
          at: instant(from + i * 60_000),
          values: new Map(
            ATTRIBUTES.filter(([name]) => name !== "note" || i % 3 === 0).map(([name, , value]) => [
              name,
              value(from / 60_000 + i),
            ]),
          ),
        })),
      ),
    );
  for (let hour = START; hour < OPEN_HOUR; hour += HOUR) await append(hour, hour + HOUR);
  await store.settle(instant(OPEN_HOUR));
  await append(OPEN_HOUR, END);
  right = await answers(store);
  latest = snapshots(store);
  await store.close();
  // Without free pages, so that every byte matters.
  const database = new Connection(original, "write");
  database.script("VACUUM");
  database.close();
});

/** What a row holds: its table, and what chooses rows of the device that the queries are about. */
const BLOBS = [
  ["chunk", "data", "series IN (SELECT id FROM series WHERE device = 1)"],
  ["chunk", "presence", "series IN (SELECT id FROM series WHERE device = 1)"],
  ["segment", "times", "device = 1"],
  ["journal", "batch", "true"],
] as const;

/** Flips a bit of a random row by SQLite's own means, so that it hits data and nothing else; gives its place. */
function flipStored(file: string, [table, column, chosen]: (typeof BLOBS)[number], random: () => number) {
  const database = new Connection(file, "write");
  const rows = database.all(
    `SELECT rowid AS id, ${table === "journal" ? 0 : "start"} AS start, ${column} AS bytes FROM ${table}
     WHERE length(${column}) > 0 AND ${chosen}`,
  );
  expect(rows.length, `${table} ${column}`).toBeGreaterThan(0);
  const row = rows[Math.floor(random() * rows.length)] ?? {};
  const bytes = Uint8Array.from(row["bytes"] as Uint8Array);
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  database.run(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, bytes, Number(row["id"]));
  database.close();
  return { table, start: Number(row["start"]) };
}

function copyOfFile(name: string): string {
  mkdirSync(join(folder, name));
  const file = join(folder, name, "telemetry.db");
  writeFileSync(file, readFileSync(original));
  return file;
}

test(`each of ${ROUNDS.stored} flipped bits of stored data is reported by its place and refused, and everything else is answered rightly`, async () => {
  const random = randomFrom(Number(process.env["BUSBAR_SEED"] ?? 5));
  for (let round = 0; round < ROUNDS.stored; round++) {
    const file = copyOfFile(`stored-${round}`);
    const flipped = flipStored(file, BLOBS[round % BLOBS.length] ?? BLOBS[0], random);
    const { store, damage } = await open(file);
    const given = await answers(store);
    await store.close();
    const isJournal = flipped.table === "journal";
    for (const [i, text] of given.entries()) {
      // What a damaged row of the journal held is missing; all else is there.
      if (isJournal && (QUERIES[i]?.to ?? 0) > OPEN_HOUR) continue;
      if (text !== undefined) expect(text, `round ${round}, query ${i}`).toBe(right[i]);
    }
    expect(damage).toContainEqual(expect.objectContaining(flipped));
    expect(given.includes(undefined)).toBe(!isJournal);
    expect(given.filter((text) => text !== undefined).length).toBeGreaterThan(QUERIES.length / 4);
  }
});

test("damage that nobody asks for is found by the scrub", async () => {
  const file = copyOfFile("scrubbed");
  const places = BLOBS.slice(0, 3).map((blob) => flipStored(file, blob, randomFrom(1)));
  const { store, damage } = await open(file);
  for (const place of places) {
    await expect.poll(() => damage, { interval: 50 }).toContainEqual(expect.objectContaining(place));
  }
  await store.close();
});

test(`of ${ROUNDS.anywhere} flipped bytes of the file none makes a wrong value, and the rest is answered`, async () => {
  const bytes = readFileSync(original);
  const random = randomFrom(Number(process.env["BUSBAR_SEED"] ?? 3));
  const counts = { rounds: 0, refused: 0, answered: 0, aside: 0 };
  for (let round = 0; round < ROUNDS.anywhere; round++) {
    const file = join(folder, `round-${round}`, "telemetry.db");
    mkdirSync(join(folder, `round-${round}`));
    const place = Math.floor(random() * bytes.length);
    const flipped = Buffer.from(bytes);
    flipped[place] = (flipped[place] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeFileSync(file, flipped);
    const { store, damage } = await open(file);
    const isAside = damage.some((one) => one.setAside !== undefined);
    const given = await answers(store);
    counts.rounds++;
    if (isAside) counts.aside++;
    // A row of the journal that is damaged is reported and set aside: nobody can know what of the open hour was in it.
    const lacksPoints = damage.some((one) => one.table === "journal");
    for (const [i, text] of given.entries()) {
      if (isAside || (lacksPoints && (QUERIES[i]?.to ?? 0) > OPEN_HOUR)) continue;
      if (text === undefined) counts.refused++;
      else {
        counts.answered++;
        expect(text, `byte ${place}, query ${i}, damage ${JSON.stringify(damage)}`).toBe(right[i]);
      }
    }
    if (given.includes(undefined)) expect(damage.length).toBeGreaterThan(0);
    for (const [i, snapshot] of snapshots(store).entries()) {
      if (snapshot !== undefined && !lacksPoints) expect(snapshot).toEqual(latest[i]);
    }
    await store.append([{ deviceId: "new", at: instant(END), values: new Map([["power", 1]]) }]);
    expect(store.latest("new").get("power")).toEqual({ at: END, value: 1 });
    await store.close();
  }
  console.log(JSON.stringify({ flipped: counts }));
  expect(counts.answered).toBeGreaterThan(counts.refused * 5);
});
