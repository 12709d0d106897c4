import { expect, test } from "vitest";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import { HOUR_MS as HOUR } from "#core/time/hour.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import {
  createRandom,
  type Message,
  NOW,
  runQuery,
  SERIES,
  SeriesBench,
  sqliteBackend,
} from "../../../test/support/series-bench.ts";
import { countChanges } from "./count-changes.ts";
import { createKeptAnswers, type KeptAnswers } from "./kept-answers.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { queryPoints } from "./query-points.ts";
import { createTimesCache } from "./times-cache.ts";

const RENDERING: Rendering = { renderer: "csv", settings: { header: "head\n" } };
const query = (from: number): SeriesQuery => ({ from, to: from + HOUR, items: [] });
const bytes = (length: number) => new Uint8Array(new ArrayBuffer(length));

test("an answer is known until something is written, also while it is computed", () => {
  const changes = new Int32Array(1);
  const answers = createKeptAnswers(10_000, changes);
  const asked = answers.ask(query(0), RENDERING);
  expect(asked?.known).toBeUndefined();
  asked?.keep(bytes(10));
  expect(answers.ask(query(0), RENDERING)?.known).toHaveLength(10);
  expect(answers.ask({ ...query(0), to: 5 }, RENDERING)?.known).toBeUndefined();
  expect(answers.ask(query(0), { renderer: "jsonl", settings: { names: [] } } as never)?.known).toBeUndefined();

  const slow = answers.ask(query(1), RENDERING);
  changes[0] = 1;
  expect(answers.ask(query(0), RENDERING)).toBeUndefined();
  changes[0] = 2;
  slow?.keep(bytes(10));
  expect(answers.ask(query(1), RENDERING)?.known).toBeUndefined();
  slow?.keep(bytes(10));
  expect(answers.ask(query(1), RENDERING)?.known).toBeUndefined();
  expect(answers.ask(query(0), RENDERING)?.known).toBeUndefined();
  expect(answers.usedBytes()).toBe(0);
});

test("the least used go when there is no room, long answers are not kept, and a long buffer is not held for a short one", () => {
  const answers = createKeptAnswers(3_000, new Int32Array(1));
  const keep = (from: number, answer: Uint8Array) => answers.ask(query(from), RENDERING)?.keep(answer);
  const isKnown = (from: number) => answers.ask(query(from), RENDERING)?.known !== undefined;
  for (const from of [1, 2, 3]) keep(from, bytes(500));
  expect(isKnown(1)).toBe(true);
  keep(4, bytes(500));
  expect([1, 2, 3, 4].filter(isKnown)).toEqual([1, 3, 4]);
  expect(answers.usedBytes()).toBeLessThanOrEqual(3_000);
  keep(5, bytes(2_900));
  expect(answers.usedBytes()).toBeLessThanOrEqual(3_000);

  const wide = createKeptAnswers(1e6, new Int32Array(1));
  wide.ask(query(1), RENDERING)?.keep(bytes(600_000));
  expect(wide.usedBytes()).toBe(0);
  wide.ask(query(1), RENDERING)?.keep(bytes(100_000).subarray(0, 100));
  expect(wide.usedBytes()).toBeLessThan(1_000);
  wide.ask({ ...query(1), items: Array.from({ length: 500 }, () => item(1)) as never }, RENDERING)?.keep(bytes(1));
  expect(wide.usedBytes()).toBeLessThan(1_000);
});

test("the count is odd while chunks are written, and even again when that failed", async () => {
  const changes = new Int32Array(1);
  const during: number[] = [];
  const store = { commit: () => void during.push(changes[0] ?? 0), drop: () => Promise.reject(new Error("full")) };
  const counted = countChanges(store as never, changes);
  await counted.commit({ journal: [bytes(1)] });
  await counted.commit({ deletedDevice: 1 });
  await expect(counted.drop({ series: [], devices: [] }, 0, 1)).rejects.toThrow("full");
  expect([during, changes[0]]).toEqual([[0, 1], 4]);
  const failing = countChanges(
    {
      commit() {
        throw new Error("full");
      },
    } as never,
    changes,
  );
  expect(() => failing.commit({ deletedSegments: [{ device: 1, start: 0, span: HOUR }] })).toThrow("full");
  expect(changes[0]).toBe(6);
});

const item = (series: number, more: Partial<SeriesItem> = {}): SeriesItem => {
  const kind = SERIES.find((one) => one.series === series)?.kind ?? "number";
  const asked = { series, device: 1, kind, aggregation: "last", granularityMs: HOUR, lookAroundMs: undefined } as const;
  return { ...asked, ...more };
};

/** `isDeaf`: nobody counts what is written. */
interface Planted {
  readonly isDeaf?: boolean;
  readonly keepsAll?: boolean;
}

/** The first kept answer that is not what a store that keeps nothing answers, while points come late, are sealed and dropped. */
async function tryHistory(seed: number, { isDeaf = false, keepsAll = false }: Planted = {}) {
  const random = createRandom(seed);
  const changes = new Int32Array(1);
  const bench = await SeriesBench.open(sqliteBackend(), {
    store: (store) => countChanges(store, isDeaf ? new Int32Array(1) : changes),
  });
  const real = createKeptAnswers(50_000, changes);
  let hits = 0;
  const answers: KeptAnswers = {
    ...real,
    ask(...question) {
      const asked = real.ask(...question);
      if (asked?.known !== undefined) hits++;
      return asked && keepsAll ? { ...asked, keep: (answer) => real.ask(...question)?.keep(answer) } : asked;
    },
  };
  const writes: readonly (() => Promise<void>)[] = [
    () => bench.append(someMessages(random)),
    () => bench.load(someMessages(random)),
    () => bench.seal(random.integer(0, 20) * HOUR),
    () => bench.seal(NOW),
    () => bench.compact(NOW),
    async () => void (await bench.engine.drop([1, 4], random.integer(0, 4) * HOUR)),
  ];
  const change = () => random.pick(writes)();
  const oldestHour = new Int32Array(1);
  const { query: ask } = queryPoints({
    index: { find: (_: string, attribute: string) => ({ series: Number(attribute), device: 1 }) },
    thread: {
      snapshot: async (...[series, from, to]: Parameters<QueryNeeds["thread"]["snapshot"]>) => ({
        hot: hotOf(bench, series, from, to),
        state: [],
      }),
    },
    isShared: false,
    clock: () => 0,
    learnSeries: async () => {},
    named: (error: unknown) => error,
    quick: { looksSmall: () => false },
    oldestHour,
    answers,
    readers: {
      async open({ query, hot }: Pick<Parameters<QueryNeeds["readers"]["open"]>[0], "query" | "hot">) {
        const text = await runQuery({ reader: bench.reader, times: createTimesCache(0), elapsed: () => 0 }, query, hot);
        // The answer is on its way while something is written.
        if (random.chance(0.2)) await change();
        return rowsOf(new TextEncoder().encode(text), random.integer(1, 3));
      },
    },
  } as unknown as QueryNeeds);
  const questions = Array.from({ length: 4 }, () => {
    const from = random.integer(0, 12) * HOUR;
    const items = Array.from({ length: random.integer(1, 3) }, () =>
      item(random.pick([1, 2, 4]), { lookAroundMs: random.pick([undefined, 5 * HOUR]) }),
    );
    return { from, to: from + random.integer(1, 9) * HOUR, items };
  });
  try {
    for (let round = 0; round < 25; round++) {
      await change();
      for (const question of [...questions, ...questions]) {
        oldestHour[0] = Math.max(-1e9, Math.min(bench.engine.oldestHour(), 1e9));
        const expected = await bench.query(question, {});
        const before = hits;
        const asked = question.items.map((one) => ({ ...one, deviceId: "d1", attribute: String(one.series) }));
        let given = "";
        const request = { requester: "r", from: question.from, to: question.to, items: asked };
        for await (const { piece, isOwn } of await ask(request as never, RENDERING)) {
          given += new TextDecoder().decode(piece);
          if (isOwn) piece.fill(0);
        }
        // What was computed may be older than what was written meanwhile; what was kept may not.
        if (hits > before && given !== expected) return { found: { question, given, expected }, hits };
      }
    }
    return { found: undefined, hits };
  } finally {
    await bench.close();
  }
}

type QueryNeeds = Parameters<typeof queryPoints>[0];

function hotOf({ engine }: SeriesBench, ...[series, from, to]: Parameters<QueryNeeds["thread"]["snapshot"]>) {
  return engine.snapshot(
    series.map((one) => one.series),
    from,
    to,
  );
}

async function* rowsOf(bytes: Uint8Array, pieces: number) {
  for (let i = 0; i < pieces; i++) {
    const [from, to] = [i, i + 1].map((one) => Math.floor((bytes.length * one) / pieces));
    yield { piece: bytes.slice(from, to), isLast: i === pieces - 1, isOwn: true };
  }
}

function someMessages(random: ReturnType<typeof createRandom>): readonly Message[] {
  return Array.from({ length: random.integer(1, 40) }, () => ({
    device: 1,
    at: random.integer(0, 20 * 60) * 60_000,
    values: [[1, random.integer(0, 999)] as const, [4, random.pick(["on", "off"])] as const],
  }));
}

const SEEDS = roundsOf("histories with kept answers");

test(`${SEEDS} random histories: kept answers are those that are computed`, async () => {
  let all = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { found, hits } = await tryHistory(seed);
    expect(found, `seed ${seed}`).toBeUndefined();
    all += hits;
  }
  expect(all).toBeGreaterThan(5 * SEEDS);
});

test.each<[string, Planted]>([
  ["nobody counts what is written", { isDeaf: true }],
  ["an answer is kept although something was written since it was asked for", { keepsAll: true }],
])("a planted bug is noticed: %s", async (_, planted) => {
  let seed = 1;
  while (seed <= 60 && (await tryHistory(seed, planted)).found === undefined) seed++;
  expect(seed).toBeLessThanOrEqual(60);
});
