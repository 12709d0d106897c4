import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { raised } from "../../../test/contract/alert-store-contract.ts";
import { makeNotice, makeWebhook } from "../../../test/contract/webhook-store-contract.ts";
import { arrival, asNew, makeExecution } from "../../../test/support/executions.ts";
import { makeDevice, makeEntry, makeSite, makeToken, NOON } from "../../../test/support/records.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openRecords } from "./open-records.ts";

const ALL = { limit: 10, offset: 0 };
const READER = { tokenId: "", sites: "all" } as const;

/** Of each column that holds one of a few words: a list that reads it. */
const LISTS: readonly [place: string, list: (records: RecordStore, of: Ids) => Promise<number>][] = [
  ["token.level", async (records) => (await records.tokens.all()).length],
  [
    "audit.outcome",
    async (records) => (await records.audit.list({ reader: READER, newestFirst: true }, ALL)).items.length,
  ],
  ["device.type", async (records) => (await records.devices.list({ scope: "all" }, ALL)).items.length],
  ["alert.severity", async (records) => (await records.alerts.active()).length],
  [
    "device_log.severity",
    async (records, { deviceId }) => (await records.deviceLogs.list(deviceId, { newestFirst: true }, ALL)).items.length,
  ],
  ["webhook_delivery.kind", deliveries],
  ["webhook_delivery.state", deliveries],
  ["execution.response_state", executions],
  ["execution_group.state", executions],
];

interface Ids {
  readonly deviceId: string;
  readonly webhookId: string;
}

async function deliveries(records: RecordStore, { webhookId }: Ids): Promise<number> {
  return (await records.webhooks.deliveries(webhookId, { newestFirst: true }, ALL)).items.length;
}

async function executions(records: RecordStore): Promise<number> {
  const filter = { scope: "all", level: "system", retention: "ALL", newestFirst: true, now: NOON } as const;
  return (await records.executions.list(filter, ALL)).items.length;
}

async function fill(records: RecordStore): Promise<Ids> {
  const site = makeSite();
  await records.sites.insert(site, makeEntry());
  await records.tokens.insert(makeToken(), makeEntry());
  const { id: deviceId } = await records.devices.insert(makeDevice(site.id), makeEntry());
  const webhook = makeWebhook();
  await records.webhooks.insert(webhook, makeEntry());
  const notice = makeNotice("a", 0, { siteId: site.id });
  await records.alerts.record(deviceId, [{ kind: "raised", at: NOON, alert: raised("a", 0) }], {
    notices: [notice],
    events: [],
  });
  const at = arrival("SUCCEEDED").at;
  const line = { receivedAt: at, takenAt: NOON, severity: "info", message: "", persist: true } as const;
  await records.deviceLogs.append(deviceId, [line], 1e6);
  const execution = makeExecution({ siteId: site.id, deviceId });
  await records.executions.insert(asNew(execution), makeEntry());
  await records.executions.record(deviceId, execution.id, arrival("SUCCEEDED"));
  return { deviceId, webhookId: webhook.id };
}

test("a word that its column cannot hold costs its own row, which is reported", async () => {
  const folder = tempFolder();
  const reported: string[] = [];
  const records = await openRecords(folder, () => {}, { onDamaged: (place) => reported.push(place) });
  onTestFinished(() => records.close());
  const ids = await fill(records);
  const database = new DatabaseSync(join(folder, "records.db"));
  onTestFinished(() => database.close());
  database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
  for (const [place, list] of LISTS) {
    const [table, column] = place.split(".");
    expect([place, await list(records, ids)]).not.toEqual([place, 0]);
    database.exec(`UPDATE ${table} SET ${column} = ${column} || '?'`);
    reported.length = 0;
    expect([place, await list(records, ids)]).toEqual([place, 0]);
    expect(reported.join()).toContain(`${table} `);
    database.exec(`UPDATE ${table} SET ${column} = rtrim(${column}, '?')`);
  }
});
