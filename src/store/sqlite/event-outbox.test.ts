import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { EventFilter } from "#core/event/event-filter.ts";
import { instant } from "#core/time/instant.ts";
import { OUTBOX_BYTES } from "#store/records/event-row.ts";
import { everyEvent, prepared } from "../../../test/contract/event-outbox-contract.ts";
import { arrival, asNew, makeExecution } from "../../../test/support/executions.ts";
import { makeDevice, makeEntry, makeSite, NOON } from "../../../test/support/records.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openRecords } from "./open-records.ts";

async function open(folder = tempFolder()) {
  const records = await openRecords(folder, (error) => {
    throw error;
  });
  onTestFinished(() => records.close());
  return records;
}

const ALL: EventFilter = {
  ...{ scope: "all", level: "system", kinds: undefined, siteIds: undefined, deviceIds: undefined },
};

test("positions of events and of changes are the same after closing and opening again, and go on from there", async () => {
  const folder = tempFolder();
  const site = makeSite();
  const device = makeDevice(site.id);
  const first = await open(folder);
  await first.sites.insert(site, makeEntry());
  await first.devices.insert(device, makeEntry());
  const [position, cursor] = [await first.outbox.latest(), (await first.executions.changesAfter(0, 1)).latest];
  const made = [1, 2].map(() => makeExecution({ siteId: site.id, deviceId: device.id }));
  for (const execution of made) await first.executions.insert(asNew(execution), makeEntry());
  const before = [await everyEvent(first.outbox, position), await first.executions.changesAfter(cursor, 10)] as const;
  await first.close();

  const again = await open(folder);
  expect([await everyEvent(again.outbox, position), await again.executions.changesAfter(cursor, 10)]).toEqual(before);
  const [latest, changed] = [await again.outbox.latest(), before[1].next];
  expect((await again.executions.changesAfter(changed, 10)).changes).toEqual([]);
  await again.executions.record(device.id, made[0]?.id ?? "", arrival("STARTED"));
  expect(await everyEvent(again.outbox, latest)).toMatchObject([{ execution: { state: "IN_PROGRESS" } }]);
  const { changes } = await again.executions.changesAfter(changed, 10);
  expect(changes.map(({ execution, since }) => [execution.id, since])).toEqual([[made[0]?.id, 0]]);
});

test("the oldest events make room for the newest, and the size says what is kept", async () => {
  const { outbox } = await open();
  const text = "x".repeat(1_000_000);
  const some = (from: number) =>
    Array.from({ length: 7 }, (_, n) => prepared("connectivity s/d", { n: from + n, text }));
  for (let n = 0; n < 70; n += 7) await outbox.append(some(n));
  expect(outbox.size.used()).toBeLessThanOrEqual(OUTBOX_BYTES + 1_048_576);
  expect(outbox.size.used()).toBeGreaterThan(OUTBOX_BYTES - 2_000_000);
  expect(await outbox.after(0, ALL, NOON)).toBeUndefined();
  const latest = await outbox.latest();
  const kept = await everyEvent(outbox, latest - 60);
  expect(kept.at(-1)).toMatchObject({ data: JSON.stringify({ n: 69, text }) });
  expect(kept).toHaveLength(60);
});

test("what a version deletes that does not note it is noticed, before anything was counted and after", async () => {
  const folder = tempFolder();
  const { outbox } = await open(folder);
  const file = new DatabaseSync(join(folder, "records.db"));
  onTestFinished(() => file.close());
  const quiet = { ...ALL, siteIds: new Set(["quiet"]) };
  const some = () => Array.from({ length: 3 }, (_, n) => prepared("connectivity quiet/d", { n }));
  await outbox.append(some());
  const deleteOldest = () => file.exec("DELETE FROM event WHERE position < (SELECT max(position) FROM event)");
  deleteOldest();
  expect(await outbox.after(0, quiet, NOON)).toBeUndefined();
  const first = await outbox.latest();
  await outbox.append(some());
  // Counts, and deletes nothing.
  expect(await outbox.prune(instant(0))).toBe(0);
  expect(await outbox.after(0, quiet, NOON)).toBeUndefined();
  expect(await everyEvent(outbox, first, quiet)).toHaveLength(3);
  deleteOldest();
  expect(await outbox.after(first, quiet, NOON)).toBeUndefined();
  await outbox.append(some());
  for (let n = 0; n < 70; n++) await outbox.append([prepared("connectivity busy/d", { text: "x".repeat(1_000_000) })]);
  expect(await outbox.after(first, quiet, NOON)).toBeUndefined();
  expect(await everyEvent(outbox, first + 3, quiet)).toHaveLength(3);
});

test("of a log that lost its oldest payloads, the events keep their states and times", async () => {
  const records = await open();
  const site = makeSite();
  const device = makeDevice(site.id);
  await records.sites.insert(site, makeEntry());
  await records.devices.insert(device, makeEntry());
  const execution = makeExecution({ siteId: site.id, deviceId: device.id });
  const start = await records.outbox.latest();
  await records.executions.insert(asNew(execution), makeEntry());
  const payload = { text: "x".repeat(400_000) };
  for (let n = 1; n <= 4; n++) {
    await records.executions.record(device.id, execution.id, arrival("IN_PROGRESS", { after: n, payload }));
  }
  const answers = (await everyEvent(records.outbox, start)).slice(1).map((event) => {
    const response = "execution" in event ? event.execution.response : undefined;
    return [response?.state, (response?.receivedAt ?? 0) / 1000 - NOON, response?.payload !== undefined];
  });
  expect(answers).toEqual([
    ["IN_PROGRESS", 1, false],
    ["IN_PROGRESS", 2, false],
    ["IN_PROGRESS", 3, true],
    ["IN_PROGRESS", 4, true],
  ]);
});
