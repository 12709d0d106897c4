import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { ConfigurationStore, StoredBucket } from "#service/ports/configuration-store.ts";
import { makeEntry, NOON, OBJECT_PROPERTY_NAMES } from "../support/records.ts";

/** An empty store, and ids of devices to configure. */
export interface ConfigurationWorld {
  readonly configurations: ConfigurationStore;
  readonly deviceId: string;
  readonly otherId: string;
  /** How many audit entries there are. */
  audited(): Promise<number>;
}

function bucket(name: string, shown: StoredBucket["shown"] = {}, after = 0): StoredBucket {
  return { bucket: name, shown, sealed: new Uint8Array([after, 255, 0]), updatedAt: instant(NOON + after) };
}

export function configurationStoreContract(open: () => Promise<ConfigurationWorld>): void {
  test("buckets are read as they were written, by name, only under their own device", async () => {
    const { configurations, deviceId, otherId, change } = await openChanging(open);
    const values = JSON.parse('{"__proto__": 1, "toString": [1, {"deep": null}], "text": "Größe"}');
    const given = [...OBJECT_PROPERTY_NAMES, "modbus"].map((name, index) => bucket(name, values, index));
    expect(await configurations.get(deviceId)).toEqual([]);
    await configurations.put(change(given), makeEntry());
    const read = await configurations.get(deviceId);
    expect(read).toEqual(given.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1)));
    expect(read.map(({ shown }) => JSON.stringify(shown))).toEqual(read.map(() => JSON.stringify(values)));
    expect(await configurations.get(otherId)).toEqual([]);
  });

  test("a bucket that is put again is replaced, the others stay", async () => {
    const { configurations, deviceId, change } = await openChanging(open);
    await configurations.put(change([bucket("a", { x: 1 }), bucket("b", { y: 1 })]), makeEntry());
    await configurations.put(change([bucket("b", { z: 2 }, 5)]), makeEntry());
    expect(await configurations.get(deviceId)).toEqual([bucket("a", { x: 1 }), bucket("b", { z: 2 }, 5)]);
  });

  test("a change and its audit entry are stored together or not at all", async () => {
    const { configurations, deviceId, audited, change } = await openChanging(open);
    const entry = makeEntry();
    await configurations.put(change([bucket("a")]), entry);
    expect(await audited()).toBe(1);
    await expect(configurations.put(change([bucket("a", { x: 2 }), bucket("b")]), entry)).rejects.toThrow();
    expect(await configurations.get(deviceId)).toEqual([bucket("a")]);
    expect(await audited()).toBe(1);
  });
}

async function openChanging(open: () => Promise<ConfigurationWorld>) {
  const world = await open();
  const change = (buckets: readonly StoredBucket[]) => ({ deviceId: world.deviceId, buckets, events: [] });
  return { ...world, change };
}
