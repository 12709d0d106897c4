import { afterEach, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { answerNaively } from "../../../test/support/naive-answer.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import {
  type Faults,
  findDifference,
  findDifferenceInCounter,
  findDifferenceInIntegral,
  memoryBackend,
  QUERIES_PER_SEED,
  SeriesBench,
  sqliteBackend,
} from "../../../test/support/series-bench.ts";
import { BatchWriter } from "./batch.ts";
import { DamagedPiece } from "./checksum.ts";
import type { Chunk } from "./chunk.ts";
import { SeriesEngine } from "./engine.ts";

const benches: SeriesBench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

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

/** How many segments and chunks of both devices are stored. */
async function storedIn({ store }: SeriesBench): Promise<readonly number[]> {
  const segments = [...(await store.readSegments(1, 0, DAY_MS)), ...(await store.readSegments(2, 0, DAY_MS))];
  return [segments.length, segments.flatMap(({ chunks }) => chunks).length];
}

// Over SQLite: planted-bugs.test.ts.
test("over a store that answers later, dense days of a counter are what a naive reference gives", async () => {
  expect(await findDifferenceInCounter(await SeriesBench.open(memoryBackend()))).toBeUndefined();
});

test("over a store that answers later, dense integrals are what a naive reference gives", async () => {
  expect(await findDifferenceInIntegral(await SeriesBench.open(memoryBackend()))).toBeUndefined();
});

describe.each([
  // test/contract/postgres-queries.test.ts asks as many and more of SQLite, too, over all of the store.
  { name: "SQLite", open: sqliteBackend, seeds: roundsOf("seeds of random queries, SQLite") },
  {
    name: "a store that answers later",
    open: memoryBackend,
    seeds: roundsOf("seeds of random queries, a store that answers later"),
  },
])("the engine over $name", ({ open, seeds }) => {
  async function newBench(faults: Faults = {}): Promise<SeriesBench> {
    const bench = await SeriesBench.open(open(), faults);
    benches.push(bench);
    return bench;
  }

  test(`${seeds * QUERIES_PER_SEED} random queries give exactly what a naive reference gives`, async () => {
    for (let seed = 1; seed <= seeds; seed++) expect(await findDifference(seed, open())).toBeUndefined();
  }, 3_600_000);

  test("a deleted device is gone from memory, from segments, and from what a restart replays", async () => {
    const bench = await newBench();
    await bench.append([point(1, 0), point(2, 0)]);
    await bench.engine.sealSome(2 * HOUR_MS, 0);
    await bench.append([point(1, HOUR_MS), point(2, HOUR_MS), point(1, 0)]);
    await bench.engine.deleteDevice("d1");
    for (const isReopened of [false, true]) {
      if (isReopened) await bench.reopen();
      expect([isReopened, await count(bench, 1, 1), await count(bench, 5, 2)]).toEqual([isReopened, "", "0,2\n"]);
      expect(bench.engine.latest(2 * HOUR_MS).map((latest) => latest.series)).toEqual([5]);
    }
    await bench.append([point(1, 2 * HOUR_MS)]);
    await bench.reopen();
    expect(await count(bench)).toBe("0,1\n");
  });

  test("long texts count for the memory they take, so that they are sealed early too", async () => {
    const bench = await newBench();
    await bench.append([{ device: 1, at: 0, values: [[4, "x".repeat(16_000)]] }]);
    expect(bench.engine.hotPoints).toBe(1_001);
    await bench.engine.sealAll(2 * HOUR_MS);
    expect(bench.engine.hotPoints).toBe(0);
  });

  test("dropping the last chunk of a segment frees the segment, and not one chunk earlier", async () => {
    const bench = await newBench();
    const both = (at: number) => ({ device: 1, at, values: [[1, at] as const, [2, at] as const] });
    await bench.append([both(0), both(HOUR_MS), point(2, 0)]);
    await bench.engine.sealAll(3 * HOUR_MS);
    expect(await storedIn(bench)).toEqual([3, 5]);
    expect(await bench.engine.drop([1], HOUR_MS)).toBe(1);
    expect(await storedIn(bench)).toEqual([3, 4]);
    expect(await bench.engine.drop([2], HOUR_MS)).toBe(1);
    expect(await storedIn(bench)).toEqual([2, 3]);
    expect([await count(bench, 1), await count(bench, 2), await count(bench, 5, 2)]).toEqual([
      "0,1\n",
      "0,1\n",
      "0,1\n",
    ]);
  });

  test("averages and sums of finite values whose sum no double can hold are right, in memory, sealed and joined", async () => {
    const bench = await newBench();
    const values = [1.5e308, 1e308, -1.2e308, 1.7e308];
    const messages = Array.from({ length: 3 * 3_600 }, (_, i) => {
      // The last hour has sums that fit.
      const value = i < 2 * 3_600 ? (values[Math.floor(i / 90) % values.length] ?? 0) : i;
      return { device: 1, at: i * 1_000, values: [[1, value] as const] };
    });
    await bench.append(messages);
    const check = async (stage: string) => {
      for (const granularityMs of [2_000, 60_000, 300_000, HOUR_MS, DAY_MS]) {
        const own = { series: 1, device: 1, kind: "number", granularityMs, lookAroundMs: undefined } as const;
        const items = (["avg", "sum", "max"] as const).map((aggregation) => ({ ...own, aggregation }));
        const query = { from: 0, to: DAY_MS, items };
        const rows = await bench.query(query);
        expect([stage, granularityMs, rows]).toEqual([stage, granularityMs, answerNaively(bench.points, query)]);
        expect(rows).not.toContain("NaN");
      }
    };
    await check("in memory");
    await bench.engine.sealAll(4 * HOUR_MS);
    expect(bench.engine.hotPoints).toBe(0);
    await check("sealed");
    while (await bench.engine.compactOne(3 * DAY_MS)) await check("joined");
  });

  test("points that are scattered over many hours are sealed hundreds at a time, and the last value stays the last", async () => {
    let commits = 0;
    const bench = await newBench({
      store: (store) => ({
        ...store,
        commit(changes) {
          commits += changes.segments === undefined ? 0 : 1;
          return store.commit(changes);
        },
      }),
    });
    await bench.append(Array.from({ length: 1_500 }, (_, hour) => point(1, (1_500 - hour) * HOUR_MS)));
    const now = 2_000 * HOUR_MS;
    while (await bench.engine.sealSome(now, 0));
    expect([commits, bench.engine.hotPoints, await count(bench)]).toEqual([4, 0, "0,1500\n"]);
    await bench.reopen();
    expect(bench.engine.latest(now)).toEqual([{ series: 1, at: 1_500 * HOUR_MS, value: 1_500 * HOUR_MS }]);
  });

  test("large hours are sealed one at a time", async () => {
    const bench = await newBench();
    const hours = (length: number, at: number) => Array.from({ length }, (_, i) => point(1, at + i));
    await bench.append([...hours(15_000, 0), ...hours(15_000, HOUR_MS)]);
    await bench.engine.sealSome(3 * HOUR_MS, 0);
    expect(bench.engine.hotPoints).toBe(15_000);
  });

  test("the engine says when points are scattered over more hours than memory is for, and seals them all then", async () => {
    const bench = await newBench();
    const ahead = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => point(1, (from + i) * HOUR_MS));
    await bench.append(ahead(1, 8_192));
    const before = bench.engine.isScattered;
    await bench.append(ahead(8_193, 100));
    expect([before, bench.engine.isScattered]).toEqual([false, true]);
    // None of them is due by its time.
    while (bench.engine.isScattered) expect(await bench.engine.sealSome(0, 0)).toBe(true);
    expect([await bench.engine.sealSome(0, 0), bench.engine.hotPoints < 8_292]).toEqual([false, true]);
    await bench.engine.deleteDevice("d1");
    expect([bench.engine.hotPoints, bench.engine.isScattered]).toEqual([0, false]);
  });

  test("an hour that lies ahead of the clock is sealed after an hour in memory", async () => {
    const bench = await newBench();
    await bench.append([point(1, 10 * DAY_MS)]);
    const elapsed = [0, HOUR_MS - 1, HOUR_MS, HOUR_MS];
    const isSealed: boolean[] = [];
    for (const ms of elapsed) isSealed.push(await bench.engine.sealSome(0, ms));
    expect(isSealed).toEqual([false, false, true, false]);
    expect([bench.engine.hotPoints, await count(bench)]).toEqual([0, "0,1\n"]);
  });

  test("an hour that cannot be joined with its damaged part is left for an hour, and others are sealed meanwhile", async () => {
    let tries = 0;
    const fail = () => {
      tries++;
      throw new DamagedPiece({ table: "segment", key: 1, start: 0, span: HOUR_MS });
    };
    const bench = await newBench({
      store: ({ openSegments, ...store }) => ({
        ...store,
        readSegments: (device, from, to) => (device === 1 ? fail() : store.readSegments(device, from, to)),
        ...(openSegments && {
          openSegments: (device, from, to) => (device === 1 ? fail() : openSegments(device, from, to)),
        }),
      }),
    });
    const seal = (elapsed: number) => bench.engine.sealSome(3 * HOUR_MS, elapsed);
    await bench.append([point(1, 0)]);
    await seal(0);
    await bench.append([point(1, 1), point(2, HOUR_MS)]);
    expect([await seal(0), await seal(0), await seal(HOUR_MS - 1)]).toEqual([true, false, false]);
    expect([tries, bench.engine.hotPoints, await count(bench), await count(bench, 5, 2)]).toEqual([
      1,
      1,
      "0,2\n",
      "0,1\n",
    ]);
    expect([await seal(HOUR_MS), tries]).toEqual([true, 2]);
  });

  test("chunks of equal hours are damaged: only the hour of the damaged one is left", async () => {
    const bench = await newBench({
      store: ({ openSegments, ...store }) => ({
        ...store,
        async readSegments(device, from, to) {
          const found = await store.readSegments(device, from, to);
          if (device === 1 && found.length > 0) throw damagedChunk;
          return found;
        },
        ...(openSegments && {
          openSegments: (device, from, to) =>
            openSegments(device, from, to).map((one) => ({
              ...one,
              chunk(series) {
                if (device === 1) throw damagedChunk;
                return one.chunk(series);
              },
            })),
        }),
      }),
    });
    const damagedChunk = new DamagedPiece({ table: "chunk", key: 1, start: 0, span: HOUR_MS });
    await bench.append([point(1, 0), point(2, 0)]);
    await bench.engine.sealSome(3 * HOUR_MS, 0);
    await bench.append([point(1, 1), point(2, 1)]);
    await bench.engine.sealSome(3 * HOUR_MS, 0);
    expect([bench.engine.hotPoints, await count(bench), await count(bench, 5, 2)]).toEqual([1, "0,2\n", "0,2\n"]);
  });

  // In column-cursor.ts a hot column that ends exactly where a chunk begins could also stand alone: it is then this one point, and the
  // chunk's point of that time is the older write.
  test("a late point at the very start of a sealed hour takes the place of the stored one", async () => {
    const bench = await newBench();
    const at = (time: number, value: number) => ({ device: 1, at: time, values: [[1, value] as const] });
    await bench.append([at(HOUR_MS, 1), at(HOUR_MS + 1_000, 2)]);
    await bench.engine.sealAll(3 * HOUR_MS);
    await bench.append([at(HOUR_MS, 5)]);
    const item = { series: 1, device: 1, kind: "number", granularityMs: DAY_MS, lookAroundMs: undefined } as const;
    const ask = (aggregation: "sum" | "first") =>
      bench.query({ from: 0, to: DAY_MS, items: [{ ...item, aggregation }] });
    expect([await ask("sum"), await ask("first")]).toEqual(["0,7\n", "0,5\n"]);
  });

  test("the average of one value is the value, however large", async () => {
    const bench = await newBench();
    await bench.append([{ device: 1, at: 0, values: [[1, Number.MAX_VALUE]] }]);
    const item = { series: 1, device: 1, kind: "number", granularityMs: DAY_MS, lookAroundMs: undefined } as const;
    const query = { from: 0, to: DAY_MS, items: [{ ...item, aggregation: "avg" }] } as const;
    expect(Number((await bench.query(query)).split(",")[1])).toBe(Number.MAX_VALUE);
    await bench.engine.sealAll(3 * HOUR_MS);
    expect(Number((await bench.query(query)).split(",")[1])).toBe(Number.MAX_VALUE);
  });
});

test("series that somebody invents are sealed early, so that open hours do not grow with their number", async () => {
  const backend = sqliteBackend();
  const { store } = await backend.open();
  const engine = await SeriesEngine.open(store, { graceMs: 0, maxHotPoints: 1_000 });
  const states: boolean[] = [];
  for (const count of [100, 101]) {
    const batch = new BatchWriter();
    const series = Array.from({ length: count }, (_, i) => i + 1);
    for (const one of series) {
      batch.define({ series: one, device: 1, deviceId: "d", attribute: `a${one}`, kind: "number" });
    }
    batch.message(1, 0, count);
    for (const one of series) batch.value(one, 1);
    await engine.append([batch.take()]);
    states.push(engine.isScattered);
  }
  // The hour is not due by its time.
  states.push(await engine.sealSome(0, 0), engine.isScattered);
  expect(states).toEqual([false, true, true, false]);
  await store.close();
  backend.remove();
});

test("an hour or a day of a device is never in memory as a whole: each series is stored before the next one is read", async () => {
  const steps: string[] = [];
  const bench = await SeriesBench.open(sqliteBackend(), {
    store: ({ openSegments, ...store }) => ({
      ...store,
      readSegments: () => expect.fail("everything is read at once"),
      openSegments: (device, from, to) =>
        (openSegments?.(device, from, to) ?? []).map((one) => ({
          ...one,
          chunk(series) {
            steps.push(`read ${series}`);
            return one.chunk(series);
          },
        })),
      commit: ({ segments = [], ...changes }) =>
        store.commit({
          ...changes,
          segments: segments.map(({ segment, chunks }) => ({ segment, chunks: recorded(chunks) })),
        }),
    }),
  });
  benches.push(bench);
  function* recorded(chunks: Iterable<Chunk>): Iterable<Chunk> {
    for (const chunk of chunks) {
      yield chunk;
      steps.push(`stored ${chunk.series}`);
    }
  }
  const append = (at: number) =>
    bench.append([{ device: 1, at, values: [1, 2].map((series) => [series, at] as const) }]);
  for (const at of [0, 1, HOUR_MS]) {
    await append(at);
    steps.length = 0;
    await bench.engine.sealAll(3 * HOUR_MS);
    if (at === 1) expect(steps).toEqual(["read 1", "stored 1", "read 2", "stored 2"]);
  }
  steps.length = 0;
  expect(await bench.engine.compactOne(9 * DAY_MS)).toBe(true);
  expect(steps).toEqual(["read 1", "read 1", "stored 1", "read 2", "read 2", "stored 2"]);
  expect(await count(bench)).toBe("0,3\n");
});
