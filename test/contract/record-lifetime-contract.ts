// What a store of records promises about itself: whether it needs the key of sealed values, and how it closes.
import { expect, test } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { asNew, makeExecution } from "../support/executions.ts";
import { makeEntry, makeSite, NOON } from "../support/records.ts";
import { newDevice } from "./record-store-contract.ts";
import { makeWebhook } from "./webhook-store-contract.ts";

/** Opens records that are empty the first time; `again` opens what they left. The suite closes what it opens. */
export type OpenRecords = () => Promise<{ readonly records: RecordStore; again(): Promise<RecordStore> }>;

export function recordLifetimeContract(open: OpenRecords): void {
  test("records hold sealed values while a webhook or an open execution has one", async () => {
    const { records } = await open();
    try {
      expect(await records.holdsSealed()).toBe(false);
      const place = await newDevice(records);
      await records.executions.insert(asNew(makeExecution(place)), makeEntry());
      expect(await records.holdsSealed()).toBe(false);
      const { execution } = await records.executions.insert(
        asNew(makeExecution(place), { sealed: new Uint8Array([1]) }),
        makeEntry(),
      );
      expect(await records.holdsSealed()).toBe(true);
      await records.executions.expire(execution.id, execution.deadline);
      expect(await records.holdsSealed()).toBe(false);
      const webhook = makeWebhook();
      await records.webhooks.insert(webhook, makeEntry());
      expect(await records.holdsSealed()).toBe(true);
    } finally {
      await records.close();
    }
  });

  test("records are empty until something of an installation is stored", async () => {
    const { records } = await open();
    try {
      expect(await records.isEmpty()).toBe(true);
      await newDevice(records);
      expect(await records.isEmpty()).toBe(false);
    } finally {
      await records.close();
    }
  });

  test("records hold sealed values while a device has a configuration", async () => {
    const { records } = await open();
    try {
      const { deviceId } = await newDevice(records);
      const bucket = { bucket: "b", shown: {}, sealed: new Uint8Array([1]), updatedAt: NOON };
      await records.configurations.put({ deviceId, buckets: [bucket], events: [] }, makeEntry());
      expect(await records.holdsSealed()).toBe(true);
      await records.devices.delete(deviceId, makeEntry());
      expect(await records.holdsSealed()).toBe(false);
    } finally {
      await records.close();
    }
  });

  test("closing waits for earlier writes, refuses later ones, and may be called twice", async () => {
    const { records, again } = await open();
    const [early, late] = [makeSite(), makeSite()];
    const stored = records.sites.insert(early, makeEntry());
    const closing = records.close();
    await Promise.all([stored, closing, records.close()]);
    await expect(records.sites.insert(late, makeEntry())).rejects.toThrow();
    const next = await again();
    try {
      expect([await next.sites.find(early.id), await next.sites.find(late.id)]).toEqual([early, undefined]);
    } finally {
      await next.close();
    }
  });
}
