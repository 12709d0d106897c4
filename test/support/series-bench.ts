// The telemetry engine in one thread, with random points and queries for it, and a naive answer to each query beside it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aggregationsOf, type ColumnKind } from "#core/telemetry/aggregation.ts";
import { createRenderer } from "#core/telemetry/render/renderers.ts";
import { CALENDAR_UNITS, SHORTEST_MS } from "#core/time/calendar.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import type { Awaitable } from "#store/awaitable.ts";
import { BatchWriter, type Scalar } from "#store/series/batch.ts";
import type { ChunkReader, ChunkView } from "#store/series/chunk-reader.ts";
import type { ChunkStore } from "#store/series/chunk-store.ts";
import { type HotSeries, SeriesEngine } from "#store/series/engine.ts";
import { createFinishedCache, type FinishedCache } from "#store/series/finished-buckets.ts";
import type { Load } from "#store/series/plan-load.ts";
import { reachOf, type SeriesItem, type SeriesQuery } from "#store/series/query.ts";
import { type QueryRun, startQuery } from "#store/series/run-query.ts";
import { createSqliteReader } from "#store/series/sqlite/sqlite-chunk-reader.ts";
import { createSqliteChunkStore } from "#store/series/sqlite/sqlite-chunk-store.ts";
import { createTimesCache } from "#store/series/times-cache.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { createMemoryChunks } from "./memory-chunks.ts";
import { answerNaively, type Points } from "./naive-answer.ts";

/** `share` of the messages carry a value of the series. */
export const SERIES: readonly {
  series: number;
  device: number;
  attribute: string;
  kind: ColumnKind;
  share?: number;
}[] = [
  { series: 1, device: 1, attribute: "power", kind: "number" },
  { series: 2, device: 1, attribute: "energy", kind: "number" },
  { series: 3, device: 1, attribute: "on", kind: "boolean" },
  { series: 4, device: 1, attribute: "status", kind: "text" },
  { series: 5, device: 2, attribute: "power", kind: "number" },
  { series: 6, device: 1, attribute: "note", kind: "text", share: 0.03 },
  { series: 7, device: 1, attribute: "level", kind: "number", share: 0.03 },
];
export interface Message {
  readonly device: number;
  readonly at: number;
  readonly values: readonly (readonly [number, Scalar])[];
}

/** Deliberate faults, to see that the tests would notice them. */
export interface Faults {
  readonly store?: (store: ChunkStore) => ChunkStore;
  readonly view?: (view: ChunkView) => ChunkView;
  readonly hot?: (hot: readonly HotSeries[]) => readonly HotSeries[];
}

/** A chunk store that can be closed and opened again. */
export interface ChunkBackend {
  open(): Awaitable<{ readonly store: ChunkStore; readonly reader: ChunkReader }>;
  remove(): void;
}

export function sqliteBackend(): ChunkBackend {
  const folder = mkdtempSync(join(tmpdir(), "busbar-series-"));
  return {
    open() {
      const database = new Connection(join(folder, "telemetry.db"), "write");
      // One connection for both saves half of the time. Threads have one each.
      const store = createSqliteChunkStore(database);
      return { store, reader: { ...createSqliteReader(database), close: () => {} } };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Every answer comes later. */
export function memoryBackend(): ChunkBackend {
  const chunks = createMemoryChunks();
  return {
    open: () => ({ store: chunks.openStore(), reader: chunks.openReader() }),
    remove: () => {},
  };
}

/** Later than every point. */
export const NOW = Number.MAX_SAFE_INTEGER;

/** What the random points and queries of a seed go through. Series and devices have the numbers of SERIES. */
export interface QueryBench {
  readonly points: Points;
  append(messages: readonly Message[]): Promise<void>;
  load(messages: readonly Message[]): Promise<void>;
  seal(now: number): Promise<void>;
  compact(now: number): Promise<void>;
  reopen(): Promise<void>;
  query(query: SeriesQuery): Promise<string>;
  close(): Promise<void>;
}

export function notePoints(points: Points, messages: readonly Message[]): void {
  for (const { at, values } of messages) {
    for (const [series, value] of values) points.set(series, (points.get(series) ?? new Map()).set(at, value));
  }
}

/** The points of each device, as columns. */
export function columnsOf(messages: readonly Message[]): ReadonlyMap<number, Load["columns"]> {
  const columns = new Map<number, Load["columns"]>();
  for (const device of new Set(messages.map((message) => message.device))) {
    const own = messages.filter((message) => message.device === device);
    const all = SERIES.filter((one) => one.device === device).map(({ series, kind }) => {
      const points = own.flatMap(({ at, values }) =>
        values.flatMap(([id, value]) => (id === series ? [{ at, value }] : [])),
      );
      const given = points.map(({ value }) => value);
      const values =
        kind === "text"
          ? given.map(String)
          : kind === "number"
            ? Float64Array.from(given, Number)
            : Uint8Array.from(given, Number);
      return [
        series,
        { kind, count: points.length, times: Float64Array.from(points, ({ at }) => at), values },
      ] as const;
    });
    columns.set(
      device,
      all.filter(([, { count }]) => count > 0),
    );
  }
  return columns;
}

/** The answer as CSV. */
export function runQuery(
  needs: Parameters<typeof startQuery>[0],
  query: SeriesQuery,
  hot: readonly HotSeries[],
): Promise<string> {
  return renderRun(startQuery(needs, query, hot));
}

export async function renderRun(run: QueryRun): Promise<string> {
  const renderer = createRenderer({ renderer: "csv", settings: { header: "" } });
  let text = "";
  for (;;) {
    const { block, isLast } = await run.pull();
    text += Buffer.from(renderer.render(block, isLast)).toString();
    if (isLast) return text;
  }
}

/** The times of all points, in order. */
function timesOf(points: Points): readonly number[] {
  return [...new Set([...points.values()].flatMap((own) => [...own.keys()]))].sort((a, b) => a - b);
}

/** A store with everything in one thread, that can be closed and opened again. */
export class SeriesBench implements QueryBench {
  readonly #backend: ChunkBackend;
  readonly #faults: Faults;
  readonly #times = createTimesCache(1e6);
  readonly #finished = createFinishedCache(1e6);
  #queries = 0;
  readonly points: Points = new Map();
  store: ChunkStore;
  reader: ChunkReader;
  engine: SeriesEngine;

  private constructor(backend: ChunkBackend, faults: Faults, opened: Opened) {
    this.#backend = backend;
    this.#faults = faults;
    this.store = opened.store;
    this.reader = opened.reader;
    this.engine = opened.engine;
  }

  static async open(backend: ChunkBackend, faults: Faults = {}): Promise<SeriesBench> {
    return new SeriesBench(backend, faults, await openEngine(backend, faults));
  }

  async reopen(): Promise<void> {
    await this.#closeStore();
    const { store, reader, engine } = await openEngine(this.#backend, this.#faults);
    this.store = store;
    this.reader = reader;
    this.engine = engine;
  }

  async append(messages: readonly Message[]): Promise<void> {
    const writer = new BatchWriter();
    for (const { series, device, attribute, kind } of SERIES) {
      writer.define({ series, device, deviceId: `d${device}`, attribute, kind });
    }
    for (const { device, at, values } of messages) {
      writer.message(device, at, values.length);
      for (const [series, value] of values) writer.value(series, value);
    }
    notePoints(this.points, messages);
    await this.engine.append([writer.take()]);
  }

  async seal(now: number): Promise<void> {
    await this.engine.sealSome(now, 0);
  }

  async compact(now: number): Promise<void> {
    if (!(await this.engine.compactOne(now))) this.engine.joinOne(now);
  }

  /** The same in one go, past the journal. */
  async load(messages: readonly Message[]): Promise<void> {
    notePoints(this.points, messages);
    const definitions = SERIES.map(({ share: _, ...one }) => ({ ...one, deviceId: `d${one.device}` }));
    for (const [device, columns] of columnsOf(messages)) await this.engine.load({ device, definitions, columns }, NOW);
  }

  /** Every second query may use the buckets of earlier ones, unless it is said what it may use. */
  async query(
    query: SeriesQuery,
    asked: { readonly finished?: FinishedCache | undefined } = this.#next(),
  ): Promise<string> {
    const reaches = query.items.map(reachOf);
    const hot = this.engine.snapshot(
      query.items.flatMap((item) => item.series ?? []),
      query.from - Math.max(0, ...reaches.map(({ before }) => before)),
      query.to + Math.max(0, ...reaches.map(({ after }) => after)),
    );
    const reader = withView(this.reader, this.#faults.view);
    const needs = { reader, times: this.#times, finished: asked.finished, elapsed: () => 0 };
    return await runQuery(needs, query, this.#faults.hot?.(hot) ?? hot);
  }

  #next() {
    return { finished: this.#queries++ % 2 === 0 ? undefined : this.#finished };
  }

  async close(): Promise<void> {
    await this.#closeStore();
    this.#backend.remove();
  }

  async #closeStore(): Promise<void> {
    await this.reader.close();
    await this.store.close();
  }
}

interface Opened {
  readonly store: ChunkStore;
  readonly reader: ChunkReader;
  readonly engine: SeriesEngine;
}

async function openEngine(backend: ChunkBackend, faults: Faults): Promise<Opened> {
  const { store, reader } = await backend.open();
  const engine = await SeriesEngine.open(faults.store?.(store) ?? store, { graceMs: 0, maxHotPoints: 1e9 });
  return { store, reader, engine };
}

function withView(reader: ChunkReader, fault: Faults["view"]): Pick<ChunkReader, "open"> {
  if (fault === undefined) return reader;
  return {
    open(reads) {
      const reading = reader.open(reads);
      return { view: (use) => reading.view((view) => use(fault(view))) };
    },
  };
}

/** Whatever is done is done by all of them at once. A query that they answer differently has no answer but these. */
export function together(benches: ReadonlyMap<string, QueryBench>): QueryBench {
  const [first] = benches.values();
  if (first === undefined) throw new Error("there is no bench");
  const all = async (work: (bench: QueryBench) => Promise<void>) => {
    await Promise.all([...benches.values()].map(work));
  };
  return {
    points: first.points,
    append: (messages) => all((bench) => bench.append(messages)),
    load: (messages) => all((bench) => bench.load(messages)),
    seal: (now) => all((bench) => bench.seal(now)),
    compact: (now) => all((bench) => bench.compact(now)),
    reopen: () => all((bench) => bench.reopen()),
    close: () => all((bench) => bench.close()),
    async query(query) {
      const asked = [...benches].map(async ([name, bench]) => [name, await bench.query(query)] as const);
      const answers = await Promise.all(asked);
      const isSame = answers.every(([, answer]) => answer === answers[0]?.[1]);
      return isSame ? (answers[0]?.[1] ?? "") : answers.map(([name, answer]) => `${name}:\n${answer}`).join("\n");
    },
  };
}

/** Small, fast and the same everywhere. */
export function createRandom(seed: number) {
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

const MINUTE_MS = 60_000;
const MINUTES = [2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/** Before and around 1970, a leap day, both days on which clocks change, and a new year. */
const ORIGINS = [
  -400 * DAY_MS,
  -3 * HOUR_MS,
  Date.UTC(2024, 1, 28, 22),
  Date.UTC(2026, 2, 29, 0),
  Date.UTC(2026, 9, 24, 22),
  Date.UTC(2023, 11, 30, 20),
  // Midnight is left out in Brazil, and a whole day in Samoa.
  Date.UTC(2018, 10, 2, 22),
  Date.UTC(2011, 11, 28, 20),
];
const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Pacific/Apia",
  "America/St_Johns",
];
/** Milliseconds that a border may lie beside the whole ones. */
const FRACTIONS = [0, 0, 0, 0, 0.5, 0.001];

/** Rises of counters twice as often: they have the most cases. */
function askedOf(kind: ColumnKind) {
  const columns = aggregationsOf(kind).filter((one) => one !== "min_max");
  return kind === "number" ? [...columns, "delta" as const] : columns;
}

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

/** Some points have the very times of earlier ones: they are written again. */
function randomMessages(random: Random, origin: number, known: readonly number[]): readonly Message[] {
  const isRepeating = known.length > 0 && random.chance(0.5);
  let at = origin + random.integer(0, 60 * HOUR_MS);
  // Now and then so many that minutes of them have summaries of their own.
  const isDense = random.chance(0.2);
  const step = random.pick(isDense ? [500, 1_000, 5_000] : [1, 250, 1_000, 60_000, 900_000]);
  return Array.from({ length: isDense ? 600 : random.integer(1, 120) }, () => {
    if (isRepeating && random.chance(0.3)) at = random.pick(known);
    else if (random.chance(isDense ? 0.01 : 0.1)) at -= random.integer(0, 20 * step);
    else at += random.chance(0.1) ? 0 : random.integer(1, step * 2);
    const device = random.pick([1, 1, 1, 2]);
    const own = SERIES.filter((one) => one.device === device && random.chance(one.share ?? 0.8));
    return { device, at, values: own.map(({ series, kind }) => [series, randomValue(random, kind)] as const) };
  }).filter((message) => message.values.length > 0);
}

/** Many borders lie on a point or a millisecond beside it, others between two minutes. */
function randomQuery(random: Random, origin: number, known: readonly number[]): SeriesQuery {
  const nearPoint = () => random.pick(known) + random.integer(-1, 1);
  const anyTime = () => origin + random.integer(-2 * HOUR_MS, 62 * HOUR_MS);
  const isWhole = random.chance(0.4);
  const from = isWhole
    ? Math.floor(nearPoint() / MINUTE_MS - random.integer(-1, 5)) * MINUTE_MS
    : (random.chance(0.5) ? nearPoint() : anyTime()) + random.pick(FRACTIONS);
  const end = nearPoint() + random.pick(FRACTIONS);
  const to =
    end > from && !isWhole && random.chance(0.5)
      ? end
      : from + random.pick([...(isWhole ? MINUTES : [1, 1_000, 5 * HOUR_MS + 123, 3 * DAY_MS]), HOUR_MS, DAY_MS]);
  const before = known.filter((at) => at < from);
  const exact = before.length > 0 ? from - random.pick(before.slice(-3)) + random.integer(-1, 1) : 0;
  const items = Array.from({ length: random.integer(1, 4) }, (): SeriesItem => {
    const { series, device, kind } = random.pick(SERIES);
    const least = Math.max(1, (to - from) / 2_000);
    const granularityMs = Math.max(
      random.pick([...(isWhole ? MINUTES : [500, 1_000, 7_000, DAY_MS]), MINUTE_MS, HOUR_MS, 365 * DAY_MS]),
      Math.ceil(least),
    );
    const lookAroundMs = random.pick([undefined, undefined, 0, Math.max(0, exact), HOUR_MS, 2 * DAY_MS]);
    const asked = { series, device, kind, aggregation: random.pick(askedOf(kind)), lookAroundMs };
    // Some counters have a bound. Another random choice here would change every seed.
    const counter = asked.aggregation === "delta" && series !== 2 ? { maxPerHour: 20 } : undefined;
    if (random.chance(0.7)) return { ...asked, counter, granularityMs };
    const unit = random.pick(CALENDAR_UNITS);
    return { ...asked, counter, granularityMs: SHORTEST_MS[unit], calendar: { unit, timezone: random.pick(ZONES) } };
  });
  return { from, to, items };
}

export interface Difference {
  readonly question: string;
  readonly given: string;
  readonly expected: string;
}

export const QUERIES_PER_SEED = 20;
/** A store on a server is asked the next questions before it has answered. */
const ASKED_AT_ONCE = 8;

/** Everything that a seed gives: points in rounds, with sealing, compaction and restarts in between, then queries. */
export async function findDifference(
  seed: number,
  backend: ChunkBackend,
  faults: Faults = {},
): Promise<Difference | undefined> {
  return await findDifferenceOn(seed, await SeriesBench.open(backend, faults));
}

/** Closes the bench. More queries of the same points cost less than more points. */
export async function findDifferenceOn(
  seed: number,
  bench: QueryBench,
  queries = QUERIES_PER_SEED,
): Promise<Difference | undefined> {
  const random = createRandom(seed);
  const origin = random.pick(ORIGINS);
  try {
    for (let round = random.integer(1, 5); round > 0; round--) {
      const messages = randomMessages(random, origin, timesOf(bench.points));
      if (random.chance(0.3)) await bench.load(messages);
      else await bench.append(messages);
      const now = origin + random.integer(0, 5 * DAY_MS);
      for (let steps = random.integer(0, 6); steps > 0; steps--) {
        const step = random.pick([() => bench.seal(now), () => bench.compact(now), () => bench.reopen()]);
        await step();
      }
      // What is kept of this answer must not show in later ones.
      const found = await ask(bench, randomQuery(random, origin, timesOf(bench.points)));
      if (found !== undefined) return { ...found, question: `seed ${seed}, before round ${round}: ${found.question}` };
    }
    const known = timesOf(bench.points);
    const asked = Array.from({ length: queries }, () => randomQuery(random, origin, known));
    for (let i = 0; i < queries; i += ASKED_AT_ONCE) {
      const found = await Promise.all(asked.slice(i, i + ASKED_AT_ONCE).map((query) => ask(bench, query)));
      const first = found.findIndex((one) => one !== undefined);
      const difference = found[first];
      if (difference !== undefined) {
        return { ...difference, question: `seed ${seed}, query ${i + first}: ${difference.question}` };
      }
    }
    return undefined;
  } finally {
    await bench.close();
  }
}

/** A whole day that is so dense that its hours have summaries beside those of its minutes. */
export async function findDifferenceInDay(backend: ChunkBackend): Promise<Difference | undefined> {
  const random = createRandom(1);
  const bench = await SeriesBench.open(backend, {});
  const start = Date.UTC(2026, 2, 29);
  const { series, device, kind } = { series: 1, device: 1, kind: "number" as const };
  try {
    await bench.load(
      Array.from({ length: 4_320 }, (_, i) => ({
        device,
        at: start + i * 20_000,
        values: [[series, randomValue(random, kind)] as const],
      })),
    );
    await bench.compact(start + 5 * DAY_MS);
    for (const aggregation of aggregationsOf(kind).filter((one) => one !== "min_max")) {
      const asked = { series, device, kind, aggregation, lookAroundMs: undefined };
      const items = [30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS].map((granularityMs) => ({
        ...asked,
        granularityMs,
      }));
      const calendars = ["Europe/Berlin", "Asia/Kolkata"].map((timezone) => ({
        ...asked,
        granularityMs: SHORTEST_MS["day"],
        calendar: { unit: "day", timezone } as const,
      }));
      for (const range of [
        { from: start - DAY_MS, to: start + 2 * DAY_MS },
        { from: start + 90 * MINUTE_MS, to: start + DAY_MS - 1 },
      ]) {
        const found = await ask(bench, { ...range, items: [...items, ...calendars] });
        if (found !== undefined) return found;
      }
    }
    return undefined;
  } finally {
    await bench.close();
  }
}

/**
 * Dense days of a counter: one only rises, in one it dips for minutes or falls for hours, and in one it restarts. Its parts stand
 * for points where nothing falls for long. Closes the bench.
 */
export async function findDifferenceInCounter(bench: QueryBench): Promise<Difference | undefined> {
  const random = createRandom(7);
  const start = Date.UTC(2026, 2, 28);
  const { series, device, kind } = { series: 2, device: 1, kind: "number" as const };
  try {
    await bench.load(
      counterDays(random).map((value, i) => ({
        device,
        at: start + i * 30_000 + random.integer(0, 9_000),
        values: [[series, value] as const],
      })),
    );
    await bench.compact(start + 9 * DAY_MS);
    const asked = { series, device, kind, aggregation: "delta", lookAroundMs: undefined } as const;
    const items: readonly SeriesItem[] = [
      ...[15 * MINUTE_MS, HOUR_MS, DAY_MS].map((granularityMs) => ({ ...asked, granularityMs })),
      { ...asked, granularityMs: HOUR_MS, counter: { maxPerHour: 60 } },
      { ...asked, granularityMs: SHORTEST_MS["day"], calendar: { unit: "day", timezone: "Europe/Berlin" } },
    ];
    for (const range of [
      { from: start - DAY_MS, to: start + 6 * DAY_MS },
      { from: start + 90 * MINUTE_MS, to: start + 3 * DAY_MS + 90 * MINUTE_MS },
    ]) {
      const found = await ask(bench, { ...range, items });
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    await bench.close();
  }
}

/**
 * Dense hours and a less dense day whose parts stand for points of an integral: some have values of one sign only, some are cut by
 * gaps that are too long for a value to hold, and in some a part has only two points. Closes the bench.
 */
export async function findDifferenceInIntegral(bench: QueryBench): Promise<Difference | undefined> {
  const random = createRandom(11);
  const start = Date.UTC(2026, 2, 29);
  const { series, device, kind } = { series: 1, device: 1, kind: "number" as const };
  try {
    await bench.load(
      integralDays(random, start).map(([at, value]) => ({ device, at, values: [[series, value] as const] })),
    );
    for (let day = 0; day < 2; day++) await bench.compact(start + 9 * DAY_MS);
    const items = (["integral", "integral_positive", "integral_negative"] as const).flatMap((aggregation) => {
      const asked = { series, device, kind, aggregation, lookAroundMs: undefined };
      return [
        ...[15 * MINUTE_MS, HOUR_MS, DAY_MS].map((granularityMs) => ({ ...asked, granularityMs })),
        {
          ...asked,
          granularityMs: SHORTEST_MS["day"],
          calendar: { unit: "day", timezone: "Asia/Kathmandu" } as const,
        },
      ];
    });
    for (const range of [
      { from: start - DAY_MS, to: start + 3 * DAY_MS },
      { from: start + 83 * MINUTE_MS + 1, to: start + DAY_MS + 10.5 * HOUR_MS },
      { from: start + 2 * HOUR_MS, to: start + 5 * HOUR_MS },
    ]) {
      const found = await ask(bench, { ...range, items });
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    await bench.close();
  }
}

/** The first day has a value each two seconds for seven hours, the second one each ten seconds. */
function integralDays(random: Random, start: number): readonly (readonly [at: number, value: number])[] {
  const hourOf = (at: number) => Math.floor((at - start) / HOUR_MS);
  // Hour 2 is empty but for two points 40 minutes apart, and nothing is known of the half hours after 1:30 and 4:30.
  const isGap = (at: number) =>
    hourOf(at) === 2 || ([1, 4].includes(hourOf(at)) && (at - start) % HOUR_MS >= HOUR_MS / 2 - 60_000);
  const dense = Array.from({ length: 12_600 }, (_, i) => start + i * 2_000 + random.integer(0, 900));
  const less = Array.from({ length: 4_320 }, (_, i) => start + DAY_MS + i * 10_000 + random.integer(0, 3_000));
  const alone = [2 * HOUR_MS + 5 * MINUTE_MS, 2 * HOUR_MS + 45 * MINUTE_MS].map((after) => start + after);
  const times = [...dense.filter((at) => !isGap(at)), ...alone, ...less].sort((a, b) => a - b);
  return times.map((at) => {
    const value = Number(randomValue(random, "number"));
    const sign = [1, -1, 0][hourOf(at) % 3];
    return [at, sign === 0 ? value : (sign ?? 1) * Math.abs(value)] as const;
  });
}

function counterDays(random: Random): readonly number[] {
  const perDay = DAY_MS / 30_000;
  let value = 20_000;
  const rising = Array.from({ length: 4 * perDay }, () => {
    value += random.integer(0, 9) / 10;
    return Math.round(value * 10) / 10;
  });
  const restart = 3 * perDay + random.integer(600, 2_000);
  return rising.map((one, i) => {
    const inDay = i % perDay;
    if (i >= restart) return Math.round((one - (rising[restart] ?? 0)) * 10) / 10;
    const isDip = Math.floor(i / perDay) === 1 && (inDay % 700 < 20 || (inDay > 1_500 && inDay < 1_800));
    return isDip ? one - 500 : one;
  });
}

async function ask(bench: QueryBench, query: SeriesQuery): Promise<Difference | undefined> {
  const answering = bench.query(query);
  // A store on a server works meanwhile.
  const expected = answerNaively(bench.points, query);
  const given = await answering;
  return given === expected ? undefined : { question: JSON.stringify(query), given, expected };
}
