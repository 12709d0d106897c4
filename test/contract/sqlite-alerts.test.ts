import { describe, expect, test } from "vitest";
import { createMemoryAlerts } from "../support/memory-alerts.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { useRecords } from "../support/sqlite-records.ts";
import { alertStoreContract, raised } from "./alert-store-contract.ts";

const { emptied, newDevice } = useRecords();

describe("alerts in SQLite", () =>
  alertStoreContract(async () => ({ alerts: (await emptied()).alerts, device: newDevice })));

describe("alerts in memory", () => {
  alertStoreContract(async () => {
    const sites = new Map<string, string>();
    const device = async (siteId = newId()) => {
      const deviceId = newId();
      sites.set(deviceId, siteId);
      return { siteId, deviceId };
    };
    return { alerts: createMemoryAlerts((id) => sites.get(id)), device };
  });
});

test("the alerts of a device go with it", async () => {
  const { alerts, devices, sites } = await emptied();
  const site = makeSite();
  await sites.insert(site, makeEntry());
  const { id } = await devices.insert(makeDevice(site.id), makeEntry());
  await alerts.record(id, [{ kind: "raised", at: NOON, alert: raised("a", 0) }], []);
  expect(await alerts.active()).toHaveLength(1);
  await devices.delete(id, makeEntry());
  expect(await alerts.active()).toEqual([]);
});
