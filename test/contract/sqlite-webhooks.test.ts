import { describe, expect, test } from "vitest";
import type { AlertChange } from "#core/alert/alert-state.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { useRecords } from "../support/sqlite-records.ts";
import { raised } from "./alert-store-contract.ts";
import { ALL } from "./stores.ts";
import { makeNotice, makeWebhook, webhookStoreContract } from "./webhook-store-contract.ts";

const { emptied, newDevice } = useRecords();

describe("webhooks in SQLite", () => webhookStoreContract(emptied));

test("an alert and its notices are stored together, or neither is", async () => {
  const { alerts, webhooks } = await emptied();
  const webhook = makeWebhook();
  await webhooks.insert(webhook, makeEntry());
  const { deviceId, siteId } = await newDevice();
  const change: AlertChange = { kind: "raised", at: NOON, alert: raised("a", 0) };
  const total = async () => (await webhooks.deliveries(webhook.id, { newestFirst: true }, ALL)).total;
  const broken = { ...makeNotice("a", 0, { siteId }), event: null as unknown as string };
  await expect(alerts.record(deviceId, [change], [broken])).rejects.toThrow();
  expect([await alerts.active(), await total()]).toEqual([[], 0]);
  expect(await alerts.record(newId(), [change], [makeNotice("a")])).toBe(false);
  expect(await total()).toBe(0);
  await alerts.record(deviceId, [change], [makeNotice("a", 0, { siteId })]);
  expect([(await alerts.active()).length, await total()]).toEqual([1, 1]);
});
