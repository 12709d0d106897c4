import { describe, expect, test } from "vitest";
import { arrival, asNew, makeExecution } from "../support/executions.ts";
import { makeEntry } from "../support/records.ts";
import { roundsOf } from "../support/rounds.ts";
import { useRecords } from "../support/sqlite-records.ts";
import { executionChangesContract } from "./execution-changes-contract.ts";
import { executionCopiesContract } from "./execution-copies-contract.ts";
import { executionModelContract } from "./execution-model-contract.ts";
import { executionStoreContract } from "./execution-store-contract.ts";
import { expectCountersRight } from "./expect-counters.ts";
import { newDevice } from "./record-store-contract.ts";

const { emptied, rows } = useRecords();

describe("executions in SQLite", () => {
  executionStoreContract(async () => {
    const stores = await emptied();
    return { executions: stores.executions, device: (siteId) => newDevice(stores, siteId) };
  });
  executionModelContract(emptied, () => expectCountersRight(rows), roundsOf("random lives of executions, SQLite"));
  executionChangesContract(async () => {
    const stores = await emptied();
    return { executions: stores.executions, device: (siteId) => newDevice(stores, siteId) };
  });
  executionCopiesContract(emptied);
});

test("changes are read by their index, however many executions there are", async () => {
  await emptied();
  const plan = rows("EXPLAIN QUERY PLAN SELECT id FROM execution WHERE changed > 5 ORDER BY changed LIMIT 9");
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining("INDEX execution_by_change (changed>?)")]);
});

test("a refused execution is not counted", async () => {
  const stores = await emptied();
  const place = await newDevice(stores);
  const entry = makeEntry();
  await stores.executions.insert(asNew(makeExecution(place)), entry);
  await expect(stores.executions.insert(asNew(makeExecution(place)), entry)).rejects.toThrow();
  await expectCountersRight(rows);
});

test("sealed arguments are gone from the row with the end of the execution, a timeout included", async () => {
  const stores = await emptied();
  const { executions } = stores;
  const place = await newDevice(stores);
  const sealed = new Uint8Array([1, 2, 3]);
  const [done, failed, late] = [makeExecution(place), makeExecution(place), makeExecution(place)];
  for (const execution of [done, failed, late]) await executions.insert(asNew(execution, { sealed }), makeEntry());
  const left = () => rows("SELECT id FROM execution WHERE sealed IS NOT NULL ORDER BY id");
  await executions.record(place.deviceId, done.id, arrival("IN_PROGRESS"));
  expect(left()).toHaveLength(3);
  await executions.record(place.deviceId, done.id, arrival("SUCCEEDED"));
  await executions.record(place.deviceId, failed.id, arrival("ERROR"));
  expect(left()).toEqual([{ id: late.id }]);
  await executions.expire(late.id, late.deadline);
  expect(left()).toEqual([]);
});

test("a deleted device leaves no row of its executions, their counters or its log", async () => {
  const stores = await emptied();
  const place = await newDevice(stores);
  const execution = makeExecution(place);
  await stores.executions.insert(asNew(execution), makeEntry());
  await stores.executions.record(place.deviceId, execution.id, arrival("STARTED"));
  const line = {
    receivedAt: arrival("STARTED").at,
    takenAt: execution.createdAt,
    severity: "info",
    message: "",
  } as const;
  await stores.deviceLogs.append(place.deviceId, [{ ...line, persist: true }], 1e9);
  const tables = [
    "execution",
    "execution_group",
    "execution_hour",
    "execution_day",
    "execution_response",
    "device_log",
  ];
  expect(await stores.devices.delete(place.deviceId, makeEntry())).toBe(true);
  for (const table of tables) expect(rows(`SELECT count(*) AS left FROM ${table}`)).toEqual([{ left: 0 }]);
});
