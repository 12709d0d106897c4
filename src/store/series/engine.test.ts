import { afterEach, expect, test } from "vitest";
import { Connection } from "#store/sqlite/connection.ts";
import { answerNaively } from "../../../test/support/naive-answer.ts";
import { type Faults, findDifference, QUERIES_PER_SEED, SeriesBench } from "../../../test/support/series-bench.ts";
import { DamagedPiece } from "./checksum.ts";
import { HOUR_MS } from "./hot-store.ts";
import { DAY_MS } from "./sealed-segments.ts";

const SEEDS = process.env["BUSBAR_LONG"] === "1" ? 2_500 : 250;

test(`${SEEDS * QUERIES_PER_SEED} random queries give exactly what a naive reference gives`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) expect(findDifference(seed)).toBeUndefined();
}, 3_600_000);

const benches: SeriesBench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});
function newBench(faults: Faults = {}): SeriesBench {
  const bench = new SeriesBench(faults);
  benches.push(bench);
  return bench;
}

const count = (bench: SeriesBench, series = 1, device = 1) =>
  bench.query({
    from: -DAY_MS,
    to: 100 * DAY_MS,
    items: [
      {
        series,
        device,
        kind: "number",
        aggregation: "count",
        granularityMs: 365 * DAY_MS,
        lookAroundMs: undefined,
      },
    ],
  });
const point = (device: number, at: number) => ({ device, at, values: [[device === 1 ? 1 : 5, at]] as const });

test("a deleted device is gone from memory, from segments, and from what a restart replays", () => {
  const bench = newBench();
  bench.append([point(1, 0), point(2, 0)]);
  bench.engine.sealOne(2 * HOUR_MS, 0);
  bench.append([point(1, HOUR_MS), point(2, HOUR_MS), point(1, 0)]);
  bench.engine.deleteDevice("d1");
  for (const isReopened of [false, true]) {
    if (isReopened) bench.reopen();
    expect([isReopened, count(bench, 1, 1), count(bench, 5, 2)]).toEqual([isReopened, "", "0,2\n"]);
    expect(bench.engine.latest(2 * HOUR_MS).map((latest) => latest.series)).toEqual([5]);
  }
  bench.append([point(1, 2 * HOUR_MS)]);
  bench.reopen();
  expect(count(bench)).toBe("0,1\n");
});

test("long texts count for the memory they take, so that they are sealed early too", () => {
  const bench = newBench();
  bench.append([{ device: 1, at: 0, values: [[4, "x".repeat(16_000)]] }]);
  expect(bench.engine.hotPoints).toBe(1_001);
  bench.engine.sealAll(2 * HOUR_MS);
  expect(bench.engine.hotPoints).toBe(0);
});

/** Rows of the telemetry file, as a second connection sees them. */
function rowsOf(bench: SeriesBench, table: "segment" | "chunk"): number {
  const database = new Connection(bench.file, "read");
  try {
    return Number(database.get(`SELECT count(*) AS rows FROM ${table}`)?.["rows"]);
  } finally {
    database.close();
  }
}

test("dropping the last chunk of a segment frees the segment, and not one chunk earlier", () => {
  const bench = newBench();
  const both = (at: number) => ({ device: 1, at, values: [[1, at] as const, [2, at] as const] });
  bench.append([both(0), both(HOUR_MS), point(2, 0)]);
  bench.engine.sealAll(3 * HOUR_MS);
  expect([rowsOf(bench, "segment"), rowsOf(bench, "chunk")]).toEqual([3, 5]);
  expect(bench.engine.drop([1], HOUR_MS)).toBe(1);
  expect([rowsOf(bench, "segment"), rowsOf(bench, "chunk")]).toEqual([3, 4]);
  expect(bench.engine.drop([2], HOUR_MS)).toBe(1);
  expect([rowsOf(bench, "segment"), rowsOf(bench, "chunk")]).toEqual([2, 3]);
  expect([count(bench, 1), count(bench, 2), count(bench, 5, 2)]).toEqual(["0,1\n", "0,1\n", "0,1\n"]);
});

test("averages and sums of finite values whose sum no double can hold are right, in memory, sealed and joined", () => {
  const bench = newBench();
  const values = [1.5e308, 1e308, -1.2e308, 1.7e308];
  const messages = Array.from({ length: 3 * 3_600 }, (_, i) => {
    // The last hour has sums that fit.
    const value = i < 2 * 3_600 ? (values[Math.floor(i / 90) % values.length] ?? 0) : i;
    return { device: 1, at: i * 1_000, values: [[1, value] as const] };
  });
  bench.append(messages);
  const check = (stage: string) => {
    for (const granularityMs of [2_000, 60_000, 300_000, HOUR_MS, DAY_MS]) {
      const own = { series: 1, device: 1, kind: "number", granularityMs, lookAroundMs: undefined } as const;
      const items = (["avg", "sum", "max"] as const).map((aggregation) => ({ ...own, aggregation }));
      const query = { from: 0, to: DAY_MS, items };
      const rows = bench.query(query);
      expect([stage, granularityMs, rows]).toEqual([stage, granularityMs, answerNaively(bench.points, query)]);
      expect(rows).not.toContain("NaN");
    }
  };
  check("in memory");
  bench.engine.sealAll(4 * HOUR_MS);
  expect(bench.engine.hotPoints).toBe(0);
  check("sealed");
  while (bench.engine.compactOne(3 * DAY_MS)) check("joined");
});

test("an hour that lies ahead of the clock is sealed after an hour in memory", () => {
  const bench = newBench();
  bench.append([point(1, 10 * DAY_MS)]);
  const elapsed = [0, HOUR_MS - 1, HOUR_MS, HOUR_MS];
  expect(elapsed.map((ms) => bench.engine.sealOne(0, ms))).toEqual([false, false, true, false]);
  expect([bench.engine.hotPoints, count(bench)]).toEqual([0, "0,1\n"]);
});

test("an hour that cannot be joined with its damaged part is left for an hour, and others are sealed meanwhile", () => {
  let tries = 0;
  const bench = newBench({
    store: (store) => ({
      ...store,
      putSegment(segment, chunks) {
        if (segment.device !== 1) return store.putSegment(segment, chunks);
        tries++;
        throw new DamagedPiece({ table: "segment", key: 1, start: 0, span: HOUR_MS });
      },
    }),
  });
  bench.append([point(1, 0), point(2, HOUR_MS)]);
  const seal = (elapsed: number) => bench.engine.sealOne(3 * HOUR_MS, elapsed);
  expect([seal(0), seal(0), seal(0), seal(HOUR_MS - 1)]).toEqual([true, true, false, false]);
  expect([tries, bench.engine.hotPoints, count(bench), count(bench, 5, 2)]).toEqual([1, 1, "0,1\n", "0,1\n"]);
  expect([seal(HOUR_MS), tries]).toEqual([true, 2]);
});

// In column-cursor.ts a hot column that ends exactly where a chunk begins could also stand alone: it is then this one point, and the
// chunk's point of that time is the older write.
test("a late point at the very start of a sealed hour takes the place of the stored one", () => {
  const bench = newBench();
  const at = (time: number, value: number) => ({ device: 1, at: time, values: [[1, value] as const] });
  bench.append([at(HOUR_MS, 1), at(HOUR_MS + 1_000, 2)]);
  bench.engine.sealAll(3 * HOUR_MS);
  bench.append([at(HOUR_MS, 5)]);
  const item = { series: 1, device: 1, kind: "number", granularityMs: DAY_MS, lookAroundMs: undefined } as const;
  const ask = (aggregation: "sum" | "first") => bench.query({ from: 0, to: DAY_MS, items: [{ ...item, aggregation }] });
  expect([ask("sum"), ask("first")]).toEqual(["0,7\n", "0,5\n"]);
});

test("the average of one value is the value, however large", () => {
  const bench = newBench();
  bench.append([{ device: 1, at: 0, values: [[1, Number.MAX_VALUE]] }]);
  const item = { series: 1, device: 1, kind: "number", granularityMs: DAY_MS, lookAroundMs: undefined } as const;
  const query = { from: 0, to: DAY_MS, items: [{ ...item, aggregation: "avg" }] } as const;
  expect(Number(bench.query(query).split(",")[1])).toBe(Number.MAX_VALUE);
  bench.engine.sealAll(3 * HOUR_MS);
  expect(Number(bench.query(query).split(",")[1])).toBe(Number.MAX_VALUE);
});
