// An installation moves from a data folder to PostgreSQL and back, and everything is the same.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { migrate } from "#role/migrate.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import { moveTelemetry } from "#store/move/move-telemetry.ts";
import type { ChunkAddress } from "#store/series/load-chunk-module.ts";
import { openSeries } from "#store/series/open-series.ts";
import { openDatabaseForMove } from "#store/series/postgres/open-for-move.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { openFolderForMove } from "#store/sqlite/open-for-move.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { readCsv } from "../support/read-csv.ts";
import { startBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

const HOUR = 3_600_000;
const SETTINGS = { graceMs: 0, maxHotPoints: 1e6, readers: 1 };
const onFault = (error: Error) => {
  throw error;
};
const say = () => {};

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
});
afterAll(() => server.stop());

async function withSeries<Result>(chunks: ChunkAddress, work: (store: TelemetryStore) => Promise<Result>) {
  const store = await openSeries(chunks, SETTINGS, onFault);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Sealed days, sealed hours and open points of two devices, with values of all kinds. */
async function fill(store: TelemetryStore): Promise<void> {
  const messages = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      deviceId: i % 3 === 0 ? "b" : "a",
      at: instant(from + i * 600_000),
      values: new Map<string, number | boolean | string>([
        ["power", i / 10],
        ["on", i % 2 === 0],
        ["status", i % 5 === 0 ? "fault \0" : "ok"],
      ]),
    }));
  await store.append(messages(0, 300));
  await store.settle(instant(48 * HOUR));
  await store.append(messages(50 * HOUR, 40));
  await store.holdBack({ deviceId: "a", at: instant(9e12), values: new Map([["power", 1]]) }, instant(0));
}

async function answers(store: TelemetryStore): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const deviceId of ["a", "b"]) {
    for (const [attribute, kind] of [
      ["power", "number"],
      ["on", "boolean"],
      ["status", "text"],
    ] as const) {
      const item = {
        deviceId,
        attribute,
        kind,
        aggregation: "last",
        granularityMs: 60_000,
        lookAroundMs: undefined,
      } as const;
      all.push(await readCsv(store, { requester: "test", from: instant(0), to: instant(100 * HOUR), items: [item] }));
    }
    all.push(await store.current(deviceId));
  }
  return all;
}

test("an installation moves to PostgreSQL and back, cut off in between", async () => {
  const folder = tempFolder();
  const data = join(folder, ".busbar");
  let busbar = await startBusbar(folder);
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${busbar.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-Service-Auth-Token": token, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as unknown;
  };
  const records = async () => [await call("/v3/sites"), await call("/v3/devices")];
  for (const name of ["One \ud83d\udd0b", "Another"]) await call("/v3/sites", { name, timezone: "Europe/Berlin" });
  const before = await records();
  const url = await server.database("moved");
  const busy = migrate({ from: data, to: url, say });
  await expect(busy).rejects.toThrow(/another Busbar already uses this data folder/);
  expect(await busbar.stop()).toBe(0);

  const file = join(data, "telemetry.db");
  const stored = await withSeries(sqliteChunks(file), async (store) => {
    await fill(store);
    return await answers(store);
  });

  // The move is cut off after the first device.
  const from = await openFolderForMove(data, "from", onFault as never);
  const to = await openDatabaseForMove(url, { role: "to", source: data, onDamaged: onFault as never });
  const cut = moveTelemetry(from.telemetry, to.telemetry, () => {
    throw new Error("cut off");
  });
  await expect(cut).rejects.toThrow("cut off");
  await to.close();
  await from.close();
  await expect(withSeries(postgresChunks(url), answers)).rejects.toThrow(/run it again/);
  await expect(migrate({ from: tempWith(data), to: url, say })).rejects.toThrow(/unfinished move from/);

  const moved = await migrate({ from: data, to: url, say });
  expect(moved.telemetry).toMatchObject({ devices: 2, points: 3 * 340 });
  expect(moved.records.get("site")).toBeGreaterThan(0);
  expect(await withSeries(postgresChunks(url), answers)).toEqual(stored);
  await expect(migrate({ from: data, to: url, say })).rejects.toThrow(/already holds an installation/);

  const cloud = tempFolder();
  mkdirSync(join(cloud, ".busbar"));
  for (const name of ["seal.key", "admin.token"]) cpSync(join(data, name), join(cloud, ".busbar", name));
  writeFileSync(join(cloud, "busbar.yaml"), `database:\n  url: ${url}\n`);
  busbar = await startBusbar(cloud);
  expect(await records()).toEqual(before);
  await call("/v3/sites", { name: "Two", timezone: "UTC" });
  const later = await records();
  await expect(migrate({ from: url, to: join(cloud, "back"), say })).rejects.toThrow(/a Busbar runs on this database/);
  expect(await busbar.stop()).toBe(0);

  const back = tempFolder();
  mkdirSync(join(back, ".busbar"));
  for (const name of ["seal.key", "admin.token"]) cpSync(join(data, name), join(back, ".busbar", name));
  await migrate({ from: url, to: join(back, ".busbar"), say });
  expect(readdirSync(join(back, ".busbar")).filter((name) => name.includes("moving"))).toEqual([]);
  expect(await withSeries(sqliteChunks(join(back, ".busbar", "telemetry.db")), answers)).toEqual(stored);
  busbar = await startBusbar(back);
  expect(await records()).toEqual(later);
  expect(await busbar.stop()).toBe(0);
});

/** The same installation elsewhere. */
function tempWith(data: string): string {
  const copy = tempFolder();
  cpSync(data, copy, { recursive: true });
  return copy;
}
