import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { SPANS } from "#store/sqlite/execution-spans.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { arrival, asNew, makeExecution, type Place } from "../support/executions.ts";
import { createMemoryExecutions } from "../support/memory-executions.ts";
import { randomFrom } from "../support/random.ts";
import { makeDevice, makeEntry, makeSite, newId } from "../support/records.ts";
import { configurationStoreContract } from "./configuration-store-contract.ts";
import { deviceLogStoreContract } from "./device-log-store-contract.ts";
import { farList, life, play, take } from "./execution-model.ts";
import { executionStoreContract } from "./execution-store-contract.ts";
import { simulationStoreContract } from "./simulation-store-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "busbar-"));
let records: RecordStore;
let database: DatabaseSync;

beforeAll(async () => {
  records = await openRecords(folder, (error) => {
    throw error;
  });
  database = new DatabaseSync(join(folder, "records.db"));
});

afterAll(async () => {
  database.close();
  await records.close();
  rmSync(folder, { recursive: true });
});

/** The same records for every test, emptied: opening starts a thread, which takes longer than most tests. */
async function emptied(): Promise<RecordStore> {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migration'").all();
  database.exec(`PRAGMA foreign_keys = OFF; ${tables.map(({ name }) => `DELETE FROM ${name};`).join(" ")}`);
  return records;
}

async function newDevice(siteId?: string): Promise<Place> {
  const site = makeSite();
  if (siteId === undefined) await records.sites.insert(site, makeEntry());
  const device = await records.devices.insert(makeDevice(siteId ?? site.id), makeEntry());
  return { siteId: device.siteId, deviceId: device.id };
}

describe("executions in SQLite", () =>
  executionStoreContract(async () => ({ executions: (await emptied()).executions, device: newDevice })));

describe("executions in memory", () =>
  executionStoreContract(async () => ({
    executions: createMemoryExecutions(),
    device: async (siteId = newId()) => ({ siteId, deviceId: newId() }),
  })));

describe("device logs in SQLite", () =>
  deviceLogStoreContract(async () => {
    const { deviceLogs } = await emptied();
    const [{ deviceId }, { deviceId: otherId }] = [await newDevice(), await newDevice()];
    return { logs: deviceLogs, deviceId, otherId };
  }));

describe("configurations in SQLite", () =>
  configurationStoreContract(async () => {
    const { configurations } = await emptied();
    const [{ deviceId }, { deviceId: otherId }] = [await newDevice(), await newDevice()];
    return { configurations, deviceId, otherId, audited: await auditedFromNow() };
  }));

describe("simulations in SQLite", () =>
  simulationStoreContract(async () => {
    const { simulations, devices } = await emptied();
    const { deviceId } = await newDevice();
    const audited = await auditedFromNow();
    return { simulations, deviceId, audited, forget: () => devices.delete(deviceId, makeEntry()) };
  }));

/** Counts the audit entries that come from now on. */
async function auditedFromNow(): Promise<() => Promise<number>> {
  const count = async () => {
    const reader = { tokenId: "", sites: "all" } as const;
    return (await records.audit.list({ reader, newestFirst: true }, { limit: 0, offset: 0 })).total;
  };
  const before = await count();
  return async () => (await count()) - before;
}

test("SQLite answers every random life of executions as a naive store does", { timeout: 120_000 }, async () => {
  const ids = Array.from({ length: 100 }, newId);
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      const { executions } = await emptied();
      const [a, b] = [await newDevice(), await newDevice()];
      const places = [a, b, await newDevice(a.siteId)];
      steps += one.length;
      const expected = await play(createMemoryExecutions(), places, { steps: one, ids });
      expect(await play(executions, places, { steps: one, ids })).toEqual(expected);
      expectCountersRight();
    }),
    { numRuns: process.env["BUSBAR_LONG"] === "1" ? 2_000 : 250 },
  );
  console.log(`${steps} steps compared`);
});

test("far pages over many groups and days are those of a naive store", { timeout: 60_000 }, async () => {
  const COUNT = 4_000;
  const { executions } = await emptied();
  const naive = createMemoryExecutions();
  const first = await newDevice();
  const places = [first];
  while (places.length < 24) places.push(await newDevice(first.siteId));
  const random = randomFrom(11);
  const any = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const stores = [executions, naive];
  await Promise.all(
    Array.from({ length: COUNT }, async () => {
      const name = any(["start", "go", "stop", "start_all"]);
      const request = { name, manifestName: name === "go" ? "start" : name, arguments: {} };
      const [place, readLevel, ephemeral] = [any(places), any(ACCESS_LEVELS), random() < 0.2];
      // Most lie on a few hours of the last days, so that many share a moment.
      const after = Math.floor(34 - random() ** 3 * 120) * 3_600_000 + Math.floor(random() * 40);
      const execution = makeExecution(place, { request, readLevel, ephemeral, after });
      const state = any(["SUCCEEDED", "SUCCEEDED", "ERROR", "IN_PROGRESS", undefined] as const);
      for (const store of stores) {
        await store.insert(asNew(execution, { maxOpen: COUNT }), makeEntry());
        if (state !== undefined) await store.record(place.deviceId, execution.id, arrival(state));
      }
    }),
  );
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(farList(COUNT), async (one) => {
      const asked = { places, made: [], id: "" };
      const expected = await take(naive, one, asked);
      expect(await take(executions, one, asked)).toEqual(expected);
      compared++;
    }),
    { numRuns: 600 },
  );
  expect(compared).toBeGreaterThanOrEqual(600);
  expectCountersRight();
});

/** The counters that lists are made of say what the rows say, and nothing is counted that is not there. */
function expectCountersRight(): void {
  const groups = database.prepare("SELECT group_id, count(*) AS n FROM execution GROUP BY group_id ORDER BY 1").all();
  expect(
    database.prepare("SELECT id AS group_id, total AS n FROM execution_group WHERE total <> 0 ORDER BY 1").all(),
  ).toEqual(groups);
  for (const { table, column, ms } of SPANS) {
    const counted = database.prepare(
      `SELECT group_id, created_at / ${ms} AS ${column}, count(*) AS count FROM execution
       WHERE is_open = 0 GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()).toEqual(counted.all());
  }
}

test("an execution and its audit entry are stored together or not at all", async () => {
  const { executions } = await emptied();
  const place = await newDevice();
  const entry = makeEntry();
  await executions.insert(asNew(makeExecution(place)), entry);
  await expect(executions.insert(asNew(makeExecution(place)), entry)).rejects.toThrow();
  expect(await executions.open({ limit: 5 })).toHaveLength(1);
  expectCountersRight();
});

test("sealed arguments are gone from the row with the end of the execution, a timeout included", async () => {
  const { executions } = await emptied();
  const place = await newDevice();
  const sealed = new Uint8Array([1, 2, 3]);
  const [done, failed, late] = [makeExecution(place), makeExecution(place), makeExecution(place)];
  for (const execution of [done, failed, late]) await executions.insert(asNew(execution, { sealed }), makeEntry());
  const left = () => database.prepare("SELECT id FROM execution WHERE sealed IS NOT NULL ORDER BY id").all();
  await executions.record(place.deviceId, done.id, arrival("IN_PROGRESS"));
  expect(left()).toHaveLength(3);
  await executions.record(place.deviceId, done.id, arrival("SUCCEEDED"));
  await executions.record(place.deviceId, failed.id, arrival("ERROR"));
  expect(left()).toEqual([{ id: late.id }]);
  await executions.expire(late.id, late.deadline);
  expect(left()).toEqual([]);
});

test("a deleted device takes its executions, log and configuration along", async () => {
  const { executions, deviceLogs, devices } = await emptied();
  const place = await newDevice();
  const execution = makeExecution(place);
  await executions.insert(asNew(execution), makeEntry());
  await executions.record(place.deviceId, execution.id, arrival("STARTED"));
  const line = {
    receivedAt: arrival("STARTED").at,
    takenAt: execution.createdAt,
    severity: "info",
    message: "",
  } as const;
  await deviceLogs.append(place.deviceId, [{ ...line, persist: true }], 1e9);
  expect(await devices.delete(place.deviceId, makeEntry())).toBe(true);
  for (const table of [
    "execution",
    "execution_group",
    "execution_hour",
    "execution_day",
    "execution_response",
    "device_log",
  ]) {
    expect(database.prepare(`SELECT count(*) AS left FROM ${table}`).get()).toEqual({ left: 0 });
  }
  expect(await executions.expire(execution.id, execution.deadline)).toBeUndefined();
});
