// What the paths that every device and every command take cost on PostgreSQL: how often they wait for the server, and that
// each of their statements names the column by which its tables are spread, so that one server can answer it.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareDatabase, recordsConfig } from "#store/postgres/connect.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { BatchWriter, type SeriesDefinition } from "#store/series/batch.ts";
import type { ChunkReader, StoreState } from "#store/series/chunk-reader.ts";
import type { HotSeries } from "#store/series/engine.ts";
import { chunkModule } from "#store/series/postgres/open-postgres-chunks.ts";
import { startEarly } from "#store/series/run-query.ts";
import { SharedEngine } from "#store/series/shared-engine.ts";
import { createTimesCache } from "#store/series/times-cache.ts";
import { arrival, asNew, makeExecution, makeKey, type Place } from "../support/executions.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { makeDevice, makeEntry, makeSite, NOON } from "../support/records.ts";
import { renderRun, runQuery } from "../support/series-bench.ts";
import { KEYED } from "../support/spread-tables.ts";

interface Recorded {
  readonly statements: string[];
  /** How often a connection was asked that owed no answer. */
  waits: number;
}

let recorded: Recorded | undefined;
const plainQuery = pg.Client.prototype.query as (...asked: unknown[]) => unknown;

/** What `work` asks of the database. */
async function record(work: () => Promise<unknown>): Promise<Recorded> {
  const own: Recorded = { statements: [], waits: 0 };
  recorded = own;
  try {
    await work();
  } finally {
    recorded = undefined;
  }
  return own;
}

const owed = new WeakMap<object, number>();

function watched(this: object, ...asked: unknown[]): unknown {
  const [first] = asked as [string | { readonly text?: string }];
  const text = typeof first === "string" ? first : (first.text ?? "");
  const own = recorded;
  // The node's own connection looks for notes by itself, and a new one asks once whether its server is the primary.
  if (own !== undefined && !/node_note|pg_notify|pg_control_system/.test(text)) {
    own.statements.push(text);
    if ((owed.get(this) ?? 0) === 0) own.waits++;
  }
  owed.set(this, (owed.get(this) ?? 0) + 1);
  const settle = () => owed.set(this, (owed.get(this) ?? 1) - 1);
  const done = asked.at(-1);
  if (typeof done === "function") {
    // A pool asks in this way.
    const answered = (...answer: unknown[]) => {
      settle();
      done(...answer);
    };
    return plainQuery.apply(this, [...asked.slice(0, -1), answered]);
  }
  const answer = plainQuery.apply(this, asked);
  if (answer instanceof Promise) answer.then(settle, settle);
  else (answer as { once(name: string, done: () => void): void }).once("end", settle);
  return answer;
}

let server: Postgres;
let url: string;
let records: Awaited<ReturnType<typeof openPostgresRecords>>;
let place: Place;
let session: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.prepared("hot");
  await prepareDatabase(url);
  session = await server.session("hot");
  (pg.Client.prototype as { query: unknown }).query = watched;
  records = await openPostgresRecords(url, { allowLoss: true });
  const site = makeSite();
  await records.sites.insert(site, makeEntry());
  const device = makeDevice(site.id);
  await records.devices.insert(device, makeEntry());
  place = { siteId: site.id, deviceId: device.id };
  // Connections are opened and statements prepared.
  await Promise.all(Array.from({ length: 8 }, run));
});
afterAll(async () => {
  (pg.Client.prototype as { query: unknown }).query = plainQuery;
  await session.end();
  await records.close();
  await server.stop();
});

async function run(): Promise<void> {
  const execution = makeExecution(place);
  await records.executions.insert(asNew(execution), makeEntry());
  await end(execution.id);
  const second = makeExecution(place);
  await records.executions.insert(asNew(second), makeEntry());
  const both = { start: arrival("STARTED"), answer: arrival("SUCCEEDED", { after: 2_000 }) };
  await records.executions.recordStartAndAnswer(place.deviceId, second.id, both);
}

const end = (id: string) =>
  Promise.all([
    records.executions.record(place.deviceId, id, arrival("STARTED")),
    records.executions.record(place.deviceId, id, arrival("SUCCEEDED", { after: 2_000 })),
  ]);

/** Statements that name a spread table and not the column by which it is spread. */
async function scattered(statements: readonly string[]): Promise<readonly string[]> {
  const functions = new Map(
    (
      await session.query<{ name: string; body: string }>(
        "SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
      )
    ).rows.map(({ name, body }) => [name, body]),
  );
  return statements.filter((statement) => {
    const called = [...functions].filter(([name]) => new RegExp(`\\b${name}\\(`).test(statement));
    const text = [statement, ...called.map(([, body]) => body)].join("\n");
    return Object.entries(KEYED).some(
      ([table, column]) => new RegExp(`\\b${table}\\b`).test(text) && !new RegExp(`\\b${column}\\b`).test(text),
    );
  });
}

test("storing a command waits twice for the server, with or without a key, and 32 of one device together do so, too", async () => {
  const insert = (fields = {}) => {
    const execution = makeExecution(place);
    const key = "key" in fields ? { idempotency: makeKey(execution, String(fields.key)) } : {};
    return records.executions.insert(asNew(execution, key), makeEntry());
  };
  const one = await record(() => insert());
  expect(one.waits).toBe(2);
  expect(await scattered(one.statements)).toEqual([]);
  const keyed = await record(() => insert({ key: "a" }));
  expect(keyed.waits).toBe(2);
  expect(await scattered(keyed.statements)).toEqual([]);
  const many = await record(() => Promise.all(Array.from({ length: 32 }, insert)));
  expect(many.waits).toBe(2);
  const ends = (list: readonly string[]) => list.filter((text) => text === "COMMIT").length;
  expect(ends(many.statements)).toBe(1);
});

test("the limit of open commands holds within a batch, and the same key gives one execution", async () => {
  const device = makeDevice(place.siteId);
  await records.devices.insert(device, makeEntry());
  const own = { ...place, deviceId: device.id };
  const limited = await Promise.allSettled(
    Array.from({ length: 12 }, () => records.executions.insert(asNew(makeExecution(own), { maxOpen: 5 }), makeEntry())),
  );
  expect(limited.filter(({ status }) => status === "fulfilled").length).toBe(5);
  const same = await Promise.all(
    Array.from({ length: 6 }, () => {
      const execution = makeExecution(own);
      return records.executions.insert(asNew(execution, { idempotency: makeKey(execution, "same") }), makeEntry());
    }),
  );
  expect(new Set(same.map(({ execution }) => execution.id)).size).toBe(1);
  expect(same.filter(({ isNew }) => isNew).length).toBe(1);
});

test("start and end of a command wait twice together and three times apart, a mark once, and looking at one once", async () => {
  const execution = makeExecution(place);
  await records.executions.insert(asNew(execution), makeEntry());
  const marked = await record(() => records.executions.markAttempted(execution.id, place.deviceId));
  expect([marked.waits, marked.statements.length]).toEqual([1, 1]);
  const again = [1, 2].map(() => records.executions.markAttempted(execution.id, place.deviceId));
  expect(await Promise.all(again)).toEqual([false, false]);
  const ended = await record(() => end(execution.id));
  expect(ended.waits).toBe(3);
  const second = makeExecution(place);
  await records.executions.insert(asNew(second), makeEntry());
  const both = { start: arrival("STARTED"), answer: arrival("SUCCEEDED", { after: 2_000 }) };
  const together = await record(() => records.executions.recordStartAndAnswer(place.deviceId, second.id, both));
  expect(together.waits).toBe(2);
  expect(together.statements.length).toBeLessThan(ended.statements.length);
  const found = await record(() => records.executions.find(place.deviceId, execution.id, NOON));
  expect(found.waits).toBe(1);
  expect(await scattered([marked, ended, together, found].flatMap(({ statements }) => statements))).toEqual([]);
});

test("a command reads by indexes alone, also where statements were planned while tables were small", async () => {
  const { statements } = await record(run);
  await session.query("VACUUM ANALYZE");
  const client = new pg.Client(recordsConfig(url));
  await client.connect();
  try {
    const walked = new Set<string>();
    for (const text of new Set(statements)) {
      if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)/.test(text)) continue;
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
      for (const { "QUERY PLAN": line } of rows) {
        const table = /Seq Scan on (\w+)/.exec(line)?.[1];
        if (table !== undefined) walked.add(table);
      }
    }
    // Each of them has one row at most.
    expect([...walked].sort()).toEqual(["change_base"]);
  } finally {
    await client.end();
  }
});

/** A series of the device, with an engine and a reader for it. */
async function withSeries(attribute: string, work: (bench: SeriesBench) => Promise<void>): Promise<void> {
  const store = await chunkModule.openShared(url, { forgetDamaged: false, onDamaged: () => {} });
  const reader = await chunkModule.openReader(url, "queries");
  try {
    const engine = new SharedEngine(store, { graceMs: 0, maxHotPoints: 1e9 });
    const [series] = await store.define([{ deviceId: place.deviceId, attribute, kind: "number" }]);
    if (series === undefined) throw new Error("the series was not defined");
    const points = (at: number) => {
      const batch = new BatchWriter();
      batch.message(series.device, at, 1);
      batch.value(series.series, 1);
      return batch.take();
    };
    await work({ engine, reader, series, points });
  } finally {
    await reader.close();
    await store.close();
  }
}

interface SeriesBench {
  readonly engine: SharedEngine;
  readonly reader: ChunkReader;
  readonly series: SeriesDefinition;
  points(at: number): Uint8Array;
}

test("points in, queries and current values stay on the server of their device", async () => {
  await withSeries("power", async ({ engine, reader, series, points }) => {
    const appended = await record(() => engine.append([points(0)]));
    expect(appended.waits).toBe(1);
    await engine.settle(1e9);
    const item = { ...series, aggregation: "last", granularityMs: 60_000, lookAroundMs: 60_000 } as const;
    const query = { from: 0, to: 60_000, items: [item] };
    const needs = { reader, times: createTimesCache(1e6), elapsed: () => 0 };
    const asked = await record(async () => {
      const hot = await engine.snapshot([series], 0, 60_000);
      await runQuery(needs, query, hot);
    });
    expect(asked.waits).toBe(2);
    const latest = await record(() => engine.latest(place.deviceId));
    expect(await scattered([appended, asked, latest].flatMap(({ statements }) => statements))).toEqual([]);
  });
});

const viewsIn = ({ statements }: Recorded) => statements.filter((text) => text.includes("telemetry_view")).length;

test("chunks are read before it is known which points are unsealed, and again if more was sealed meanwhile", async () => {
  await withSeries("energy", async ({ engine, reader, series, points }) => {
    const item = { ...series, aggregation: "count", granularityMs: 3_600_000, lookAroundMs: undefined } as const;
    const query = { from: 0, to: 3_600_000, items: [item] };
    const needs = { reader, times: createTimesCache(1e6), elapsed: () => 0 };
    const small = { chunks: 9, points: 99, bytes: 9_999 };
    const range = { device: series.device, series: series.series, from: 0, to: 3_600_000 };
    /** What a query gives whose chunks are read before `meanwhile`, and its points after it. */
    const ask = async (meanwhile: () => Promise<unknown>) => {
      const known = Promise.withResolvers<{ hot: readonly HotSeries[]; state: StoreState }>();
      const run = startEarly(needs, query, known.promise);
      const chunks = reader.smallChunks(
        range,
        small,
        known.promise.then(({ state }) => state),
      );
      // The reader does one thing after the other.
      await reader.counts([range]);
      await meanwhile();
      const hot = await engine.snapshot([series], 0, 3_600_000);
      known.resolve({ hot, state: engine.stateOf([series]) });
      const count = (await chunks)?.reduce((sum, one) => sum + one.count, 0);
      return [await renderRun(run), count];
    };
    await engine.append([points(0)]);
    await engine.settle(1e9);
    let given: readonly unknown[] = [];
    const quiet = await record(async () => {
      given = await ask(async () => {});
    });
    expect([given, viewsIn(quiet)]).toEqual([["0,1\n", 1], 1]);
    // Not sealed yet: they come with the points that are not.
    const unsealed = await record(async () => {
      given = await ask(() => engine.append([points(60_000)]));
    });
    expect(given).toEqual(["0,2\n", 1]);
    expect(viewsIn(unsealed)).toBeLessThan(4);
    const outpaced = await record(async () => {
      given = await ask(() => engine.settle(1e9));
    });
    expect(given).toEqual(["0,2\n", 2]);
    expect(viewsIn(outpaced)).toBe(2);
  });
});

test("a statement without the column is noticed", async () => {
  const found = await scattered(["UPDATE execution SET attempted = 1 WHERE id = $1", "SELECT * FROM site"]);
  expect(found).toEqual(["UPDATE execution SET attempted = 1 WHERE id = $1"]);
});
