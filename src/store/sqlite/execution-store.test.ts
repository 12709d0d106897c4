import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { MAX_READ_BYTES, MAX_READ_ENTRIES } from "#core/command/log-limits.ts";
import { asNew, makeExecution } from "../../../test/support/executions.ts";
import { makeDevice, makeEntry, makeSite } from "../../../test/support/records.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openRecords } from "./open-records.ts";

test.each([
  { entries: 40, bytes: 200_000, shown: Math.floor(MAX_READ_BYTES / 200_077) },
  { entries: MAX_READ_ENTRIES + 10, bytes: 1, shown: MAX_READ_ENTRIES },
])("of a log beyond the limit, with $entries entries of $bytes bytes, the newest are read", async (log) => {
  const folder = tempFolder();
  const records = await openRecords(folder, (error) => {
    throw error;
  });
  onTestFinished(() => records.close());
  const site = makeSite();
  const device = makeDevice(site.id);
  await records.sites.insert(site, makeEntry());
  await records.devices.insert(device, makeEntry());
  const execution = makeExecution({ siteId: site.id, deviceId: device.id });
  await records.executions.insert(asNew(execution), makeEntry());
  const database = new DatabaseSync(join(folder, "records.db"));
  const add = database.prepare(
    "INSERT INTO execution_response (execution_id, device_id, received_at, state, payload) VALUES (?, ?, ?, 'IN_PROGRESS', ?)",
  );
  const payload = JSON.stringify({ text: "x".repeat(log.bytes) });
  database.exec("BEGIN");
  for (let n = 1; n <= log.entries; n++) add.run(execution.id, device.id, n, payload);
  database.exec("COMMIT");
  database.close();
  const read = await records.executions.responses(execution.id);
  expect(read).toHaveLength(log.shown + 1);
  expect(read[0]?.receivedAt).toBe(log.entries);
  expect(read.at(-1)).toMatchObject({
    receivedAt: log.entries - log.shown,
    payload: { message: expect.stringContaining("older responses are not shown") },
  });
});
