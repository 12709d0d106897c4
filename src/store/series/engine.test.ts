import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ColumnKind, ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { BatchWriter, type Scalar } from "./batch.ts";
import { DAY_MS, SeriesEngine } from "./engine.ts";
import { HOUR_MS } from "./hot-store.ts";
import { answerNaively, type Points } from "./naive-answer.ts";
import type { SeriesItem, SeriesQuery } from "./query.ts";
import { startQuery } from "./run-query.ts";
import { createSqliteKeeper } from "./sqlite/sqlite-keeper.ts";
import { createSqliteReader } from "./sqlite/sqlite-reader.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const SERIES: readonly { series: number; device: number; attribute: string; kind: ColumnKind }[] = [
  { series: 1, device: 1, attribute: "power", kind: "number" },
  { series: 2, device: 1, attribute: "energy", kind: "number" },
  { series: 3, device: 1, attribute: "on", kind: "boolean" },
  { series: 4, device: 1, attribute: "status", kind: "text" },
  { series: 5, device: 2, attribute: "power", kind: "number" },
];
const ALLOWED: Readonly<Record<ColumnKind, readonly ResolvedAggregation[]>> = {
  number: ["avg", "last", "min", "max", "sum", "count", "first"],
  boolean: ["last", "count", "first", "bool_or"],
  text: ["last", "count", "first"],
};

/** A store with everything in one thread, that can be closed and opened again. */
class Bench {
  readonly #file: string;
  #database: Connection;
  engine: SeriesEngine;
  readonly points: Points = new Map();

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "busbar-series-"));
    folders.push(folder);
    this.#file = join(folder, "telemetry.db");
    this.#database = new Connection(this.#file, "write");
    this.engine = this.#open();
  }

  #open(): SeriesEngine {
    return new SeriesEngine(createSqliteKeeper(this.#database), { graceMs: 0, maxHotPoints: 1e9 });
  }

  reopen(): void {
    this.#database.close();
    this.#database = new Connection(this.#file, "write");
    this.engine = this.#open();
  }

  append(messages: readonly { device: number; at: number; values: readonly [number, Scalar][] }[]): void {
    const writer = new BatchWriter();
    for (const { series, device, attribute, kind } of SERIES) {
      writer.define({ series, device, deviceId: `d${device}`, attribute, kind });
    }
    for (const { device, at, values } of messages) {
      writer.message(device, at, values.length);
      for (const [series, value] of values) {
        writer.value(series, value);
        const points = this.points.get(series) ?? new Map();
        this.points.set(series, points.set(at, value));
      }
    }
    this.engine.append([writer.take()]);
  }

  query(query: SeriesQuery): string {
    const look = Math.max(0, ...query.items.map((item) => item.lookAroundMs ?? 0));
    const hot = this.engine.snapshot(
      query.items.flatMap((item) => item.series ?? []),
      query.from - look,
      query.to,
    );
    const reader = createSqliteReader(this.#database);
    const run = startQuery({ reader, elapsed: () => 0 }, query, hot);
    let text = "";
    for (;;) {
      const { bytes, done } = run.pull();
      text += Buffer.from(bytes).toString();
      if (done) return text;
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** Small, fast and the same everywhere. */
function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    integer: (low: number, high: number) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability: number) => next() < probability,
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item,
  };
}
type Random = ReturnType<typeof createRandom>;

/** Around 1970, around a leap day, and now: borders of hours, days and years. */
const ORIGINS = [-3 * HOUR_MS, Date.UTC(2024, 1, 28, 22), Date.UTC(2026, 2, 29, 0)];

function randomValue(random: Random, kind: ColumnKind): Scalar {
  if (kind === "boolean") return random.chance(0.5);
  if (kind === "text") return random.pick(["idle", "running", 'fault "7"', "a,b", "", "ä\n"]);
  return random.pick([
    () => random.integer(-1_000, 1_000) / 10,
    () => random.integer(0, 1e9),
    () => Math.fround(random.integer(-1e6, 1e6) / 7),
    () => random.integer(-1e9, 1e9) / 12_345.678,
  ])();
}

function randomMessages(random: Random, origin: number) {
  let at = origin + random.integer(0, 60 * HOUR_MS);
  const step = random.pick([1, 250, 1_000, 60_000, 900_000]);
  return Array.from({ length: random.integer(1, 120) }, () => {
    at += random.chance(0.1) ? -random.integer(0, 20 * step) : random.chance(0.1) ? 0 : random.integer(1, step * 2);
    const device = random.pick([1, 1, 1, 2]);
    const own = SERIES.filter((one) => one.device === device && random.chance(0.8));
    return { device, at, values: own.map(({ series, kind }): [number, Scalar] => [series, randomValue(random, kind)]) };
  }).filter((message) => message.values.length > 0);
}

function randomQuery(random: Random, origin: number): SeriesQuery {
  const from = origin + random.integer(-2 * HOUR_MS, 62 * HOUR_MS);
  const to = from + random.pick([1, 1_000, HOUR_MS, 5 * HOUR_MS + 123, DAY_MS, 3 * DAY_MS]);
  const items = Array.from({ length: random.integer(1, 4) }, (): SeriesItem => {
    const { series, device, kind } = random.pick(SERIES);
    const least = Math.max(1, (to - from) / 2_000);
    const granularityMs = Math.max(
      random.pick([500, 1_000, 7_000, 60_000, HOUR_MS, DAY_MS, 365 * DAY_MS]),
      Math.ceil(least),
    );
    const lookAroundMs = random.pick([undefined, undefined, 0, 1_000, HOUR_MS, 2 * DAY_MS]);
    return { series, device, kind, aggregation: random.pick(ALLOWED[kind]), granularityMs, lookAroundMs };
  });
  return { from, to, items };
}

const RUNS = process.env["BUSBAR_LONG"] === "1" ? 2_500 : 250;
const QUERIES_PER_RUN = 20;

test(`${RUNS * QUERIES_PER_RUN} random queries give exactly what a naive reference gives`, () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = createRandom(seed);
    const origin = random.pick(ORIGINS);
    const bench = new Bench();
    for (let round = random.integer(1, 5); round > 0; round--) {
      bench.append(randomMessages(random, origin));
      const now = origin + random.integer(0, 5 * DAY_MS);
      for (let steps = random.integer(0, 6); steps > 0; steps--) {
        random.pick([() => bench.engine.sealOne(now), () => bench.engine.compactOne(now), () => bench.reopen()])();
      }
    }
    for (let i = 0; i < QUERIES_PER_RUN; i++) {
      const query = randomQuery(random, origin);
      expect(bench.query(query), `seed ${seed}, query ${i}: ${JSON.stringify(query)}`).toBe(
        answerNaively(bench.points, query),
      );
    }
    bench.close();
  }
}, 600_000);
