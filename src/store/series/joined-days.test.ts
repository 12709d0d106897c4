// Answers from joined days are compared with answers from the chunks that they were made of, while points come late, are sealed,
// joined, dropped and written again.
import { expect, test } from "vitest";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { SHORTEST_MS } from "#core/time/calendar.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import { createRandom, type Message, NOW, SeriesBench, sqliteBackend } from "../../../test/support/series-bench.ts";
import { CHANGES_MS, type ChunkView } from "./chunk-reader.ts";
import { joinDays, type StoredDay } from "./joined-days.ts";
import { FIELDS, readLevel } from "./part-levels.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { encodeChunk } from "./segment-codec.ts";

const MINUTE_MS = 60_000;
/** Borders of stretches are 20 and 52 days after the first point. */
const ORIGIN = 633 * CHANGES_MS - 20 * DAY_MS;
const LENGTH_MS = 70 * DAY_MS;
const AGGREGATIONS: readonly ResolvedAggregation[] = [
  "avg",
  "sum",
  "count",
  "min",
  "max",
  "first",
  "last",
  "delta",
  "integral",
  "integral_positive",
];
const SEEDS = roundsOf("histories with joined days");

type Joined = NonNullable<ChunkView["joined"]>;
type Random = ReturnType<typeof createRandom>;

interface Tried {
  readonly found: { readonly question: SeriesQuery; readonly given: string; readonly expected: string } | undefined;
  /** The levels that were read. */
  readonly read: ReadonlySet<string>;
}

/** The first answer that differs. */
async function tryHistory(seed: number, plant: (joined: Joined) => Joined = (joined) => joined): Promise<Tried> {
  const random = createRandom(seed);
  const read = new Set<string>();
  let isJoined = true;
  const withPlanted = (view: ChunkView): ChunkView => {
    const { joined, ...chunks } = view;
    if (!isJoined || joined === undefined) return chunks;
    const planted = plant(joined);
    const noting: Joined = (series, stretch, level) => {
      const bytes = planted(series, stretch, level);
      if (bytes !== undefined) read.add(bytes[0] === 0x63 ? "held" : level);
      return bytes;
    };
    return { ...view, joined: noting };
  };
  const bench = await SeriesBench.open(sqliteBackend(), { view: withPlanted });
  const answer = (query: SeriesQuery, joined: boolean) => {
    isJoined = joined;
    return bench.query(query, {});
  };
  try {
    for (let round = 0; round < 4; round++) {
      const messages = round === 0 || random.chance(0.3) ? denseMessages(random) : lateMessages(random);
      if (random.chance(0.7)) await bench.load(messages);
      else await bench.append(messages);
      if (random.chance(0.7)) while (await bench.engine.sealSome(NOW, 0));
      if (random.chance(0.8)) while ((await bench.engine.compactOne(NOW)) || bench.engine.joinOne(NOW));
      if (random.chance(0.1)) await bench.engine.drop([1, 2], ORIGIN + random.integer(0, 40) * DAY_MS);
      for (let asked = 0; asked < 6; asked++) {
        const question = randomQuery(random);
        const [given, expected] = [await answer(question, true), await answer(question, false)];
        if (given !== expected) return { found: { question, given, expected }, read };
      }
    }
    return { found: undefined, read };
  } finally {
    await bench.close();
  }
}

/** Some days of a point a minute, or of one every seven seconds, with gaps. */
function denseMessages(random: Random): readonly Message[] {
  const step = random.pick([MINUTE_MS, 7_000]);
  const days = step === MINUTE_MS ? random.integer(5, 12) : random.integer(2, 3);
  let at = ORIGIN + random.pick([0, 15 * DAY_MS, random.integer(0, LENGTH_MS / MINUTE_MS) * MINUTE_MS]);
  let counter = random.integer(0, 1_000);
  return Array.from({ length: (days * DAY_MS) / step }, () => {
    at += random.chance(step / 1.2e8) ? random.integer(1, 2 * DAY_MS) : step;
    counter = random.chance(0.0005) ? random.integer(0, 50) : counter + random.integer(0, 5);
    return { device: 1, at, values: [[1, random.integer(-500, 500) / 7] as const, [2, counter] as const] };
  });
}

function lateMessages(random: Random): readonly Message[] {
  return Array.from({ length: random.integer(1, 10) }, () => {
    const at = ORIGIN + random.integer(0, LENGTH_MS);
    return { device: 1, at, values: [[random.pick([1, 2]), random.integer(-5_000, 5_000) / 10] as const] };
  });
}

function randomQuery(random: Random): SeriesQuery {
  const unit = random.pick([15 * MINUTE_MS, HOUR_MS, DAY_MS, 1]);
  const from = Math.floor((ORIGIN + random.integer(-DAY_MS, LENGTH_MS / 2)) / unit) * unit;
  const items = Array.from({ length: random.integer(1, 3) }, (): SeriesItem => {
    const aggregation = random.pick(AGGREGATIONS);
    const asked = { series: random.pick([1, 2]), device: 1, kind: "number" as const, aggregation };
    const lookAroundMs = random.pick([undefined, undefined, DAY_MS]);
    if (random.chance(0.3)) {
      const calendar = { unit: "day", timezone: random.pick(["Europe/Berlin", "Asia/Kolkata", "UTC"]) } as const;
      return { ...asked, lookAroundMs, calendar, granularityMs: SHORTEST_MS.day };
    }
    return {
      ...asked,
      lookAroundMs,
      granularityMs: random.pick([30 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS, 3 * DAY_MS]),
    };
  });
  return { from, to: from + random.pick([DAY_MS, 20 * DAY_MS + 5 * HOUR_MS, 40 * DAY_MS, 80 * DAY_MS]), items };
}

test(`${SEEDS} random histories: joined days give the same answers as their chunks`, async () => {
  const levels = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { found, read } = await tryHistory(seed);
    expect(found, `seed ${seed}`).toBeUndefined();
    for (const one of read) levels.add(one);
  }
  expect([...levels].sort()).toEqual(["days", "held", "hours"]);
});

/** Seeds until the bug shows. */
const MOST_SEEDS = 40;

test.each<[string, (joined: Joined) => Joined]>([
  [
    "what was joined before a stretch changed",
    (() => {
      const kept = new Map<string, Uint8Array>();
      return (joined) => (series, stretch, level) => {
        const key = `${series}/${stretch}/${level}`;
        const bytes = kept.get(key) ?? joined(series, stretch, level);
        if (bytes !== undefined) kept.set(key, bytes);
        return bytes;
      };
    })(),
  ],
  ["another series", (joined) => (series, stretch, level) => joined(3 - series, stretch, level)],
  ["another stretch", (joined) => (series, stretch, level) => joined(series, stretch - 1, level)],
])("the histories notice when a query reads %s", async (_, plant) => {
  let seed = 1;
  while (seed <= MOST_SEEDS && (await tryHistory(seed, plant)).found === undefined) seed++;
  expect(seed, `noticed by seed ${seed}`).toBeLessThanOrEqual(MOST_SEEDS);
});

/** A day whose points are `step` apart. */
function day(number: number, step: number, value = 1.5): StoredDay {
  const start = number * DAY_MS;
  const times = Float64Array.from({ length: Math.floor(DAY_MS / step) }, (_, i) => start + i * step);
  const column = {
    kind: "number",
    count: times.length,
    times,
    values: times.map((_, i) => value + (i % 7) / 10),
  } as const;
  const chunk = encodeChunk({ device: 1, start, span: DAY_MS }, times, { series: 1, column });
  return { head: chunk, parts: chunk.parts, column: () => column };
}

test("hours are joined where an hour has 30 points on average, also of days that have no hours of their own", () => {
  const [dense, sparse] = [day(0, MINUTE_MS / 4), day(1, HOUR_MS / 2)];
  expect(sparse.head.grain).toBe(0);
  const joined = joinDays(0, [dense, sparse]);
  const read = readLevel(joined?.hours ?? new Uint8Array(0), { start: 0, grain: HOUR_MS });
  expect(read("count")).toEqual(Float64Array.from({ length: 48 }, (_, hour) => (hour < 24 ? 240 : 2)));
  expect(FIELDS.map((field) => read(field)[47])).toEqual([47 * HOUR_MS, 2, 3.9, 0, 1.9, 2, 1.9, 2]);
  expect(joinDays(0, [day(0, 5 * MINUTE_MS), sparse])).toMatchObject({ hours: new Uint8Array(0) });
});

test.each<[string, readonly StoredDay[]]>([
  ["there is only one day", [day(0, MINUTE_MS)]],
  ["a day has hardly more points than its summary", [day(0, HOUR_MS), day(1, HOUR_MS)]],
  ["the sum of a day is beyond the range of a double", [day(0, MINUTE_MS), day(1, MINUTE_MS, 1e308)]],
])("nothing is joined where %s", (_, days) => {
  expect(joinDays(0, days)).toBeUndefined();
});
