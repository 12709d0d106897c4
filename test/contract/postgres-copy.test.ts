// Queries that read sealed telemetry from a real streaming replica: their answers are those of the primary, whether the
// replica has come as far, is behind, or is gone.

import { afterAll, beforeAll, expect, test } from "vitest";
import { HOUR_MS } from "#core/time/hour.ts";
import { requireCopy } from "#store/postgres/require-copy.ts";
import { BatchWriter } from "#store/series/batch.ts";
import type { ChunkReader, StoreState } from "#store/series/chunk-reader.ts";
import { chunkModule } from "#store/series/postgres/open-postgres-chunks.ts";
import { SharedEngine } from "#store/series/shared-engine.ts";
import type { SharedStore } from "#store/series/shared-store.ts";
import { createTimesCache } from "#store/series/times-cache.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { findDifferenceOn, runQuery } from "../support/series-bench.ts";
import { openSharedNodes } from "../support/shared-bench.ts";

const SEEDS = 10;

let server: Postgres;
let standby: Awaited<ReturnType<Postgres["startStandby"]>>;
const copyOf = (url: string) => url.replace(`:${server.port}/`, `:${standby.port}/`);

beforeAll(async () => {
  server = await startPostgres();
  for (const name of ["random", "copy", "other"]) await server.prepared(name);
  standby = await server.startStandby();
});
afterAll(async () => {
  await standby.stop();
  await server.stop();
});

test("random queries through a replica that follows give what a naive reference gives", async () => {
  const url = await server.prepared("random");
  const nodes = await openSharedNodes(url, 2, copyOf(url));
  try {
    for (let seed = 1; seed <= SEEDS; seed++) {
      expect(await findDifferenceOn(seed, await nodes.openBench(`copied ${seed}`))).toBeUndefined();
    }
  } finally {
    await nodes.close();
  }
});

interface Asking {
  readonly engine: SharedEngine;
  readonly reader: ChunkReader;
  readonly series: number;
  readonly device: number;
}

/** How many points the series has in its first ten hours. */
async function count({ engine, reader, series, device }: Asking, state?: StoreState): Promise<number> {
  const item = { series, device, kind: "number", aggregation: "count", granularityMs: 10 * HOUR_MS } as const;
  const hot = await engine.snapshot([item], 0, 10 * HOUR_MS);
  const query = { from: 0, to: 10 * HOUR_MS, items: [{ ...item, lookAroundMs: undefined }] };
  const since = state ?? engine.stateOf([item]);
  const needs = { reader, times: createTimesCache(1e6), elapsed: () => 0 };
  const answer = await runQuery(needs, { ...query, since }, hot);
  return Number(answer.trim().split(",").at(-1));
}

test("a replica answers when it has come as far as the unsealed points, and the primary otherwise", async () => {
  const url = await server.prepared("copy");
  const onDamaged = (place: object) => expect(place).toBeUndefined();
  const store: SharedStore = await chunkModule.openShared(url, { forgetDamaged: false, onDamaged });
  const reader = await chunkModule.openReader(url, "queries", copyOf(url));
  const replica = await sessionAt(copyOf(url));
  const primary = await server.session("copy");
  try {
    const engine = new SharedEngine(store, { graceMs: 0, maxHotPoints: 1e9 });
    const [series] = await store.define([{ deviceId: "pump", attribute: "power", kind: "number" }]);
    if (series === undefined) throw new Error("the series was not defined");
    const asking = { engine, reader, series: series.series, device: series.device };
    const append = async (hour: number) => {
      const batch = new BatchWriter();
      for (let minute = 0; minute < 60; minute++) {
        batch.message(series.device, hour * HOUR_MS + minute * 60_000, 1);
        batch.value(series.series, minute);
      }
      await engine.append([batch.take()]);
    };
    const sealAll = () => engine.settle(100 * HOUR_MS);
    const readsOfReplica = async () =>
      (
        await replica.query(
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'COPY%telemetry_view%' AND pid <> pg_backend_pid()",
        )
      ).rowCount ?? 0;

    await append(0);
    await sealAll();
    // The first query opens the connection, and nobody waits for it.
    expect(await count(asking)).toBe(60);
    await expect.poll(async () => [await count(asking), await readsOfReplica()]).toEqual([60, 1]);
    // Points that are not sealed come from the primary, at once.
    await append(1);
    expect(await count(asking)).toBe(120);

    await replica.query("SELECT pg_wal_replay_pause()");
    await expect
      .poll(async () => (await replica.query("SELECT pg_get_wal_replay_pause_state() AS state")).rows[0].state)
      .toBe("paused");
    await sealAll();
    expect(await count(asking)).toBe(120);
    // Without the comparison it would lack what was sealed meanwhile.
    expect(await count(asking, [])).toBe(60);
    await replica.query("SELECT pg_wal_replay_resume()");
    await expect.poll(() => count(asking, [])).toBe(120);

    await primary.query("ALTER SYSTEM RESET synchronous_standby_names");
    await primary.query("SELECT pg_reload_conf()");
    await replica.end();
    await standby.stop();
    expect(await count(asking)).toBe(120);
    await append(2);
    await sealAll();
    expect(await count(asking)).toBe(180);
  } finally {
    await primary.end();
    await reader.close();
    await store.close();
  }
});

test("a server with another installation is no copy", async () => {
  const [url, other] = [await server.prepared("copy"), await server.prepared("other")];
  for (const [name, key] of [
    ["copy", "aa"],
    ["other", "bb"],
  ] as const) {
    const session = await server.session(name);
    await session.query("UPDATE installation SET seal_key_check = decode($1, 'hex')", [key]);
    await session.end();
  }
  await expect(requireCopy(url, other)).rejects.toThrow("database.read_url names a server with another installation");
  expect(await requireCopy(url, url)).toBe(true);
  expect(await requireCopy(url, "postgres://busbar@127.0.0.1:1/copy")).toBe(false);
});

async function sessionAt(url: string) {
  const { default: pg } = await import("pg");
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  return client;
}
