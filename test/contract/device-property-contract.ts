import { expect, test } from "vitest";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeDevice, makeEntry, newId, OBJECT_PROPERTY_NAMES, property, UNUSUAL } from "../support/records.ts";
import { auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const VALUES: readonly unknown[] = [
  "",
  "1.2",
  0,
  -0.5,
  1e300,
  true,
  false,
  null,
  [],
  ["a", 1, null],
  { nested: { deep: [1] } },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
  ...UNUSUAL,
];

export function devicePropertyContract(open: OpenStores): void {
  test("a property may have any name and any JSON value", async () => {
    const { stores, deviceId } = await withDevice(open);
    const given = [
      ...OBJECT_PROPERTY_NAMES.map((name) => property(name, `value of ${name}`)),
      ...VALUES.map((value, index) => property(`value_${index}`, value)),
    ];
    await stores.devices.putProperties(deviceId, given);
    const found = (await stores.devices.properties([deviceId])).get(deviceId) ?? [];
    const byName = new Map(found.map((value) => [value.name, value]));
    expect(byName).toStrictEqual(new Map(given.map((value) => [value.name, value])));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("properties are ordered by name, and those not named again are kept", async () => {
    const { stores, deviceId } = await withDevice(open);
    await stores.devices.putProperties(deviceId, [property("serial", "S1"), property("firmware", "1.0")]);
    await stores.devices.putProperties(deviceId, [property("firmware", "1.1", 1), property("Model", "X", 1)]);
    expect(await stores.devices.properties([deviceId])).toEqual(
      new Map([[deviceId, [property("Model", "X", 1), property("firmware", "1.1", 1), property("serial", "S1")]]]),
    );
  });

  test("an older value never replaces a newer one, in whatever order they arrive", async () => {
    const { stores, deviceId } = await withDevice(open);
    const cases: readonly (readonly [arrivals: string, kept: string])[] = [
      ["1=a 2=b", "2=b"],
      ["2=b 1=a", "2=b"],
      ["2=b 2=c", "2=c"],
      ["3=c 1=a 2=b", "3=c"],
      ["1=a 3=c 2=b 3=d", "3=d"],
    ];
    for (const [index, [arrivals, kept]] of cases.entries()) {
      const name = `case_${index}`;
      for (const arrival of arrivals.split(" ")) {
        await stores.devices.putProperties(deviceId, [parseArrival(name, arrival)]);
      }
      const stored = (await stores.devices.properties([deviceId])).get(deviceId)?.find((value) => value.name === name);
      expect({ arrivals, stored }).toEqual({ arrivals, stored: parseArrival(name, kept) });
    }
    await stores.devices.putProperties(deviceId, [property("both", "new", 5), property("both", "old", 4)]);
    expect((await stores.devices.properties([deviceId])).get(deviceId)).toContainEqual(property("both", "new", 5));
  });

  test("every asked device has its own list, also one without properties or unknown", async () => {
    const { stores, siteId, deviceId } = await withDevice(open);
    const bare = await stores.devices.insert(makeDevice(siteId), makeEntry());
    const other = await stores.devices.insert(makeDevice(siteId), makeEntry());
    await stores.devices.putProperties(deviceId, [property("serial", "S1")]);
    await stores.devices.putProperties(other.id, [property("serial", "S2")]);
    expect(await stores.devices.properties([deviceId, bare.id, "constructor", deviceId])).toEqual(
      new Map([
        [deviceId, [property("serial", "S1")]],
        [bare.id, []],
        ["constructor", []],
      ]),
    );
    expect(await stores.devices.properties([])).toEqual(new Map());
  });

  test("properties go with their device, and a device that is gone gets none", async () => {
    const { stores, siteId, deviceId } = await withDevice(open);
    await stores.devices.putProperties(deviceId, [property("serial", "S1")]);
    await stores.devices.delete(deviceId, makeEntry());
    await expectRefusal(stores.devices.putProperties(deviceId, [property("serial", "S1")]), "conflict");
    await expectRefusal(stores.devices.putProperties(newId(), []), "conflict");
    await stores.devices.insert(makeDevice(siteId, { id: deviceId }), makeEntry());
    expect(await stores.devices.properties([deviceId])).toEqual(new Map([[deviceId, []]]));
  });

  test("what a device reports about itself is not in the audit log", async () => {
    const { stores, deviceId } = await withDevice(open);
    const before = await auditIds(stores);
    await stores.devices.putProperties(deviceId, [property("serial", "S1")]);
    expect(await auditIds(stores)).toEqual(before);
  });
}

async function withDevice(open: OpenStores): Promise<{ stores: SubjectStores; siteId: string; deviceId: string }> {
  const { stores, siteId } = await withSite(open);
  const { id: deviceId } = await stores.devices.insert(makeDevice(siteId), makeEntry());
  return { stores, siteId, deviceId };
}

/** `2=b` is the value b that arrived two milliseconds after noon. */
function parseArrival(name: string, text: string) {
  const [after, value] = text.split("=");
  return property(name, value, Number(after));
}
