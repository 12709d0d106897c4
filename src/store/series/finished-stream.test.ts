// Answers that use finished buckets are compared with answers that compute all of them, while points come late, are sealed,
// joined, dropped and written again.
import { expect, test } from "vitest";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { SHORTEST_MS } from "#core/time/calendar.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import {
  createRandom,
  type Faults,
  type Message,
  NOW,
  SeriesBench,
  sqliteBackend,
} from "../../../test/support/series-bench.ts";
import { CHANGES_MS } from "./chunk-reader.ts";
import { createFinishedCache, type FinishedCache } from "./finished-buckets.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";

const MINUTE_MS = 60_000;
/** The second border of stretches is in the middle of the points. */
const ORIGIN = 633 * CHANGES_MS;
const LENGTH_MS = 70 * DAY_MS;
const AGGREGATIONS: readonly ResolvedAggregation[] = [
  "avg",
  "count",
  "max",
  "first",
  "delta",
  "delta",
  "integral",
  "integral_positive",
];
const SEEDS = roundsOf("histories with finished buckets");

interface Found {
  readonly question: SeriesQuery;
  readonly given: string;
  readonly expected: string;
}

/** The first answer that differs, and how many stretches were answered from memory. */
async function tryHistory(
  seed: number,
  { faults = {}, wrap = (cache) => cache, room = 200_000 }: Planted = {},
): Promise<{ readonly found: Found | undefined; readonly hits: number }> {
  const random = createRandom(seed);
  const bench = await SeriesBench.open(sqliteBackend(), faults);
  let hits = 0;
  const cache = createFinishedCache(room);
  const finished = wrap({
    ...cache,
    find(...asked) {
      const known = cache.find(...asked);
      if (known !== undefined) hits++;
      return known;
    },
  });
  try {
    for (let round = 0; round < 12; round++) {
      const messages = randomMessages(random);
      if (random.chance(0.5)) await bench.load(messages);
      else await bench.append(messages);
      for (let step = random.integer(0, 8); step > 0; step--) {
        await random.pick([() => bench.seal(NOW), () => bench.compact(NOW), () => bench.reopen()])();
      }
      if (random.chance(0.1)) await bench.engine.drop([1, 2], ORIGIN + random.integer(0, 40) * DAY_MS);
      const query = randomQuery(random);
      for (let moved = 0; moved < 4; moved++) {
        const question = {
          ...query,
          from: query.from + random.integer(0, 2) * HOUR_MS,
          to: query.to + moved * HOUR_MS,
        };
        const given = await bench.query(question, { finished });
        const expected = await bench.query(question, {});
        if (given !== expected) return { found: { question, given, expected }, hits };
      }
    }
    return { found: undefined, hits };
  } finally {
    await bench.close();
  }
}

interface Planted {
  readonly faults?: Faults;
  readonly wrap?: (cache: FinishedCache) => FinishedCache;
  readonly room?: number;
}

type Random = ReturnType<typeof createRandom>;

/** Some weeks by the quarter of an hour with gaps, or a few points in any place. */
function randomMessages(random: Random): readonly Message[] {
  const isLong = random.chance(0.6);
  const step = isLong ? 15 * MINUTE_MS : random.pick([1_000, 10 * MINUTE_MS, 5 * HOUR_MS]);
  let at = ORIGIN + random.integer(0, LENGTH_MS / MINUTE_MS) * MINUTE_MS;
  let counter = random.integer(0, 1_000);
  return Array.from({ length: isLong ? random.integer(100, 1_500) : random.integer(1, 10) }, () => {
    at += random.chance(0.01) ? random.integer(1, 6 * DAY_MS) : step;
    counter = random.chance(0.02) ? random.integer(0, 50) : counter + random.integer(0, 5);
    return { device: 1, at, values: [[1, random.integer(-500, 500) / 10] as const, [2, counter] as const] };
  });
}

function randomQuery(random: Random): SeriesQuery {
  const unit = random.pick([15 * MINUTE_MS, HOUR_MS, DAY_MS, 1]);
  const from = Math.floor((ORIGIN + random.integer(-DAY_MS, LENGTH_MS)) / unit) * unit;
  const items = Array.from({ length: random.integer(1, 3) }, (): SeriesItem => {
    const aggregation = random.pick(AGGREGATIONS);
    const asked = { series: random.pick([1, 2]), device: 1, kind: "number" as const, aggregation };
    const lookAroundMs = random.pick([undefined, undefined, DAY_MS]);
    if (random.chance(0.2)) {
      const calendar = { unit: "day", timezone: random.pick(["Europe/Berlin", "Asia/Kolkata"]) } as const;
      return { ...asked, lookAroundMs, calendar, granularityMs: SHORTEST_MS.day };
    }
    const granularityMs = random.pick([7 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, DAY_MS]);
    const counter = aggregation === "delta" && random.chance(0.5) ? { maxPerHour: 20 } : undefined;
    return { ...asked, lookAroundMs, granularityMs, counter };
  });
  return { from, to: from + random.pick([3 * HOUR_MS, DAY_MS, 20 * DAY_MS, 40 * DAY_MS, 80 * DAY_MS]), items };
}

test(`${SEEDS} random histories: kept buckets give the same answers as computed ones`, async () => {
  let all = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { found, hits } = await tryHistory(seed);
    expect(found, `seed ${seed}`).toBeUndefined();
    all += hits;
  }
  expect(all).toBeGreaterThan(SEEDS * 5);
});

/** Seeds until the bug shows. */
const MOST_SEEDS = 60;

async function isNoticed(planted: Planted): Promise<boolean> {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    if ((await tryHistory(seed, planted)).found !== undefined) return true;
  }
  return false;
}

const widened =
  (by: "from" | "to") =>
  (cache: FinishedCache): FinishedCache => ({
    ...cache,
    keep(column, stretch, changes, buckets) {
      const whole = { from: stretch * CHANGES_MS, to: (stretch + 1) * CHANGES_MS };
      cache.keep(column, stretch, changes, { ...buckets, [by]: whole[by] });
    },
  });

test.each<[string, Planted]>([
  ["changes of stored points are not noticed", { faults: { view: (view) => ({ ...view, changes: () => new Map() }) } }],
  ["buckets before the first kept one are taken for empty", { wrap: widened("from") }],
  ["buckets after the last kept one are taken for empty", { wrap: widened("to") }],
])("a planted bug is noticed: %s", async (_, planted) => {
  expect(await isNoticed(planted)).toBe(true);
});

const BERLIN = { unit: "day", timezone: "Europe/Berlin" } as const;

test.each<[string, Partial<SeriesItem>, number, number]>([
  ["integral before it", { aggregation: "integral" }, -3 * DAY_MS, 5 * MINUTE_MS],
  ["integral after it", { aggregation: "integral" }, -3 * DAY_MS, -5 * MINUTE_MS],
  ["delta after it", { aggregation: "delta" }, -3 * DAY_MS, -5 * MINUTE_MS],
  ["delta after a gap", { aggregation: "delta" }, 0, -65 * DAY_MS],
  ["mean by days of Berlin", { calendar: BERLIN, granularityMs: SHORTEST_MS.day }, -3 * DAY_MS, 20 * HOUR_MS],
])("buckets at a border of stretches are kept until another stretch changes: %s", async (_, asked, since, late) => {
  const border = ORIGIN + CHANGES_MS;
  let read = 0;
  const view: Faults["view"] = (own) => ({
    ...own,
    content(chunk) {
      read++;
      return own.content(chunk);
    },
  });
  const bench = await SeriesBench.open(sqliteBackend(), { view });
  const write = async (from: number, count: number) => {
    const messages = Array.from({ length: count }, (_, i) => {
      const at = from + i * 10 * MINUTE_MS;
      return { device: 1, at, values: [[1, (at / MINUTE_MS) % 1_000] as const] };
    });
    // Too far apart for an integral, until a point comes between.
    await bench.load(messages.filter(({ at }) => count === 1 || Math.abs(at - border) >= 20 * MINUTE_MS));
    await bench.seal(NOW);
    await bench.compact(NOW);
  };
  await write(border + since, 6 * 144);
  const item = { series: 1, device: 1, kind: "number", aggregation: "avg", granularityMs: HOUR_MS, ...asked } as const;
  // Days begin where those of Berlin do.
  const [from, to] = [border - 2 * DAY_MS - 2 * HOUR_MS, border + 2 * DAY_MS - 2 * HOUR_MS];
  const question: SeriesQuery = { from, to, items: [{ ...item, lookAroundMs: undefined }] };
  const finished = createFinishedCache(200_000);
  const first = await bench.query(question, { finished });
  const computed = read;
  expect(await bench.query(question, { finished })).toBe(first);
  expect([computed > 0, read]).toEqual([true, computed]);
  await write(border + late + 1_000, 1);
  const changed = await bench.query(question, { finished });
  expect(changed).toBe(await bench.query(question, {}));
  expect(changed).not.toBe(first);
  await bench.close();
});

test("queries that are not to keep anything leave nothing behind", async () => {
  const { found, hits } = await tryHistory(1, { wrap: (cache) => ({ ...cache, isKeeping: false }) });
  expect([found, hits]).toEqual([undefined, 0]);
});

test("the least used are dropped when there is no room", async () => {
  const used: number[] = [];
  const cache = createFinishedCache(2_500, (bytes) => used.push(bytes));
  const buckets = { from: 0, to: 10, starts: new Float64Array(20), numbers: new Float64Array(20) };
  for (const column of ["a", "b", "c"]) cache.keep(column, 0, 1, buckets);
  cache.find("a", 0, 1);
  cache.keep("d", 0, 1, buckets);
  expect(["a", "b", "c", "d"].filter((column) => cache.find(column, 0, 1) !== undefined)).toEqual(["a", "c", "d"]);
  expect(Math.max(...used)).toBeLessThanOrEqual(2_500);
});

test("buckets that touch are joined, and of others the newer ones stay", () => {
  const cache = createFinishedCache(10_000);
  const part = (from: number, to: number) => ({
    from,
    to,
    starts: Float64Array.of(from),
    numbers: Float64Array.of(from * 2),
  });
  cache.keep("a", 0, 1, part(10, 20));
  cache.keep("a", 0, 1, part(20, 30));
  cache.keep("a", 0, 1, part(0, 10));
  expect(cache.find("a", 0, 1)).toMatchObject({ from: 0, to: 30, numbers: Float64Array.of(0, 20, 40) });
  cache.keep("a", 0, 1, part(50, 60));
  expect(cache.find("a", 0, 1)).toMatchObject({ from: 50, to: 60 });
  expect(cache.find("a", 0, 2)).toBeUndefined();
});
