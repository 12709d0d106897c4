import { expect, test } from "vitest";
import type { ScriptStore } from "#service/ports/script-store.ts";
import { OBJECT_PROPERTY_NAMES } from "../support/records.ts";

/** An empty store, and ids of devices whose scripts keep something. */
export interface ScriptWorld {
  readonly scripts: ScriptStore;
  readonly deviceId: string;
  readonly otherId: string;
  delete(deviceId: string): Promise<void>;
}

const LIMITS = { entries: 300, bytes: 1_000_000 };
const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));

export function scriptStoreContract(open: () => Promise<ScriptWorld>): void {
  test("every key and every byte is read as it was written, only under its own device", async () => {
    const { scripts, deviceId, otherId } = await open();
    const given = [...OBJECT_PROPERTY_NAMES.map((key) => Buffer.from(key).toString("latin1")), "", EVERY_BYTE];
    for (const key of given) {
      expect(await scripts.put(deviceId, { key, value: EVERY_BYTE + key }, LIMITS)).toBe("stored");
    }
    expect(await scripts.get(deviceId)).toEqual(new Map(given.toSorted().map((key) => [key, EVERY_BYTE + key])));
    expect(await scripts.get(otherId)).toEqual(new Map());
  });

  test("a key that is put again has the new value, and one that is removed has none", async () => {
    const { scripts, deviceId } = await open();
    await scripts.put(deviceId, { key: "a", value: "1" }, LIMITS);
    await scripts.put(deviceId, { key: "b", value: "1" }, LIMITS);
    await scripts.put(deviceId, { key: "a", value: "2" }, LIMITS);
    await scripts.remove(deviceId, "b");
    await scripts.remove(deviceId, "never was");
    expect(await scripts.get(deviceId)).toEqual(new Map([["a", "2"]]));
  });

  test("what would go beyond the limits is not stored, and what was stays", async () => {
    const { scripts, deviceId, otherId } = await open();
    const put = (id: string, key: string, value: string) => scripts.put(id, { key, value }, { entries: 2, bytes: 10 });
    expect(await put(deviceId, "a", "123456789")).toBe("stored");
    expect(await put(deviceId, "b", "")).toBe("full");
    expect(await put(deviceId, "a", "1234567890")).toBe("full");
    expect(await put(deviceId, "a", "1234")).toBe("stored");
    expect(await put(deviceId, "b", "1234")).toBe("stored");
    expect(await put(deviceId, "c", "")).toBe("full");
    expect(await put(otherId, "a", "123456789")).toBe("stored");
    await scripts.remove(deviceId, "a");
    expect(await put(deviceId, "c", "")).toBe("stored");
    expect([...(await scripts.get(deviceId)).keys()]).toEqual(["b", "c"]);
  });

  test("it goes with its device", async () => {
    const { scripts, deviceId, ...world } = await open();
    await scripts.put(deviceId, { key: "a", value: "1" }, LIMITS);
    await world.delete(deviceId);
    expect(await scripts.get(deviceId)).toEqual(new Map());
    expect(await scripts.put(deviceId, { key: "a", value: "1" }, LIMITS)).toBe("gone");
  });
}
