import { expect, test } from "vitest";
import type { Device } from "#core/device/device.ts";
import { instant } from "#core/time/instant.ts";
import type { DeviceFilter } from "#service/ports/device-store.ts";
import {
  makeBlueprint,
  makeDevice,
  makeEntry,
  makeSite,
  NOON,
  newId,
  OBJECT_PROPERTY_NAMES,
  UNUSUAL,
} from "../support/records.ts";
import { deviceCredentialContract } from "./device-credential-contract.ts";
import { devicePropertyContract } from "./device-property-contract.ts";
import { deviceSlugContract } from "./device-slug-contract.ts";
import { deviceTreeContract } from "./device-tree-contract.ts";
import {
  ALL,
  auditIds,
  expectNothingWithoutItsTrail,
  expectRefusal,
  type OpenStores,
  pagingContract,
} from "./stores.ts";
import { withSite } from "./with-site.ts";

const LATER = instant(NOON + 60_000);

export function deviceStoreContract(open: OpenStores): void {
  deviceSlugContract(open);
  deviceTreeContract(open);
  deviceCredentialContract(open);
  devicePropertyContract(open);

  test("a device is found in its own site's scope and in that of all, and in no other", async () => {
    const { stores, siteId } = await withSite(open);
    const device = await stores.devices.insert(makeDevice(siteId), makeEntry());
    const found = async (scope: "all" | ReadonlySet<string>) => await stores.devices.findIn(device.id, scope);
    for (let round = 0; round < 2; round++) {
      expect(await found(new Set([newId(), ""]))).toBeUndefined();
      expect(await found(new Set([newId(), siteId]))).toEqual(device);
      expect(await found("all")).toEqual(device);
    }
    for (const id of [newId(), "", ...OBJECT_PROPERTY_NAMES]) {
      expect(await stores.devices.findIn(id, new Set([siteId, ""]))).toBeUndefined();
      expect(await stores.devices.findIn(id, "all")).toBeUndefined();
    }
    await stores.devices.delete(device.id, makeEntry());
    expect(await found(new Set([siteId]))).toBeUndefined();
  });

  test("a device is found as it was stored", async () => {
    const { stores, siteId } = await withSite(open);
    const blueprint = await stores.blueprints.insert(makeBlueprint(), new Uint8Array(), makeEntry());
    const parent = { ...makeDevice(siteId), slug: "gateway" };
    const child: Device = {
      ...makeDevice(siteId, { type: "CHILD", parentId: parent.id, childType: "battery", blueprintId: blueprint.id }),
      slug: "battery",
    };
    expect(await stores.devices.insert(parent, makeEntry())).toEqual(parent);
    expect(await stores.devices.insert(child, makeEntry())).toEqual(child);
    expect(await stores.devices.find(parent.id)).toStrictEqual(parent);
    expect(await stores.devices.find(child.id)).toStrictEqual(child);
  });

  test("a device and its kind of child may have any name", async () => {
    const { stores, siteId } = await withSite(open);
    const parent = await stores.devices.insert(makeDevice(siteId, { slug: "parent" }), makeEntry());
    for (const name of [...OBJECT_PROPERTY_NAMES, ...UNUSUAL]) {
      const given = makeDevice(siteId, { name, slug: name, parentId: parent.id, childType: name });
      await stores.devices.insert(given, makeEntry());
      expect(await stores.devices.find(given.id)).toEqual(given);
      const filter = { scope: "all", childTypes: [name] } as const;
      expect((await stores.devices.list(filter, ALL)).items).toEqual([given]);
    }
  });

  test("an id that no device has finds, changes and deletes nothing", async () => {
    const { stores, siteId } = await withSite(open);
    for (const id of [...OBJECT_PROPERTY_NAMES, "", siteId]) {
      expect(await stores.devices.find(id)).toBeUndefined();
      expect(await stores.devices.update(id, { name: "x", updatedAt: LATER }, makeEntry())).toBeUndefined();
      expect(await stores.devices.delete(id, makeEntry())).toBe(false);
    }
  });

  test("a device is refused when its site, parent or blueprint is gone", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    await expectRefusal(devices.insert(makeDevice(newId()), makeEntry()), "conflict");
    await expectRefusal(devices.insert(makeDevice("constructor"), makeEntry()), "conflict");
    await expectRefusal(devices.insert(makeDevice(siteId, { parentId: newId() }), makeEntry()), "conflict");
    await expectRefusal(devices.insert(makeDevice(siteId, { blueprintId: newId() }), makeEntry()), "conflict");
    const device = await devices.insert(makeDevice(siteId), makeEntry());
    await expectRefusal(devices.update(device.id, { blueprintId: newId(), updatedAt: LATER }, makeEntry()), "conflict");
    expect((await devices.list({ scope: "all" }, ALL)).items).toEqual([device]);
  });

  test("an update changes what it names, keeps the rest and gives the device as it is now", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const blueprint = await stores.blueprints.insert(makeBlueprint(), new Uint8Array(), makeEntry());
    const parent = await devices.insert(makeDevice(siteId), makeEntry());
    const device = await devices.insert(makeDevice(siteId), makeEntry());
    const changes = [
      { name: "Renamed" },
      { slug: "other" },
      { energyRole: "load" },
      { parentId: parent.id, childType: "cell" },
      { blueprintId: blueprint.id },
      { blueprintId: undefined, parentId: undefined, childType: undefined, energyRole: undefined },
    ];
    let expected = device;
    for (const [index, change] of changes.entries()) {
      const updatedAt = instant(NOON + index + 1);
      expected = { ...expected, ...change, updatedAt };
      expect(await devices.update(device.id, { ...change, updatedAt }, makeEntry())).toEqual(expected);
      expect(await devices.find(device.id)).toStrictEqual(expected);
    }
    expect(await devices.find(parent.id)).toStrictEqual(parent);
  });

  pagingContract(
    open,
    async (stores) => {
      const site = makeSite();
      await stores.sites.insert(site, makeEntry());
      const made = Array.from({ length: 5 }, () => makeDevice(site.id));
      for (const device of made.toReversed()) await stores.devices.insert(device, makeEntry());
      return made.map((device) => device.id);
    },
    ({ devices }, page) => devices.list({ scope: "all" }, page),
  );

  test("a list holds the devices that meet every condition of its filter", async () => {
    const { name, find } = await fleet(open);
    const cases: readonly (readonly [DeviceFilter, string])[] = [
      [{ scope: "all" }, "a1 a2 a3 b1 b2"],
      [{ scope: new Set([name("A")]) }, "a1 a2 a3"],
      [{ scope: new Set([name("A"), name("B")]) }, "a1 a2 a3 b1 b2"],
      [{ scope: new Set() }, ""],
      [{ scope: "all", siteId: name("B") }, "b1 b2"],
      [{ scope: new Set([name("A")]), siteId: name("B") }, ""],
      [{ scope: "all", names: [name("b1"), name("a2"), "constructor"] }, "a2 b1"],
      [{ scope: new Set([name("A")]), names: [name("b1"), name("a2")] }, "a2"],
      [{ scope: "all", names: [] }, ""],
      // A slug is a name like an id. The same slug on several sites means them all.
      [{ scope: "all", names: ["hub", name("a2")] }, "a1 a2 b1"],
      [{ scope: new Set([name("B")]), names: ["hub", name("a2")] }, "b1"],
      [{ scope: "all", siteId: name("A"), names: ["hub"], types: ["STANDALONE"] }, "a1"],
      [{ scope: "all", parents: ["hub"] }, "a3 b2"],
      [{ scope: new Set([name("A")]), parents: ["hub", name("b1")] }, "a3"],
      [{ scope: "all", parents: [] }, ""],
      [{ scope: "all", types: ["LUA"] }, "a2 b2"],
      [{ scope: "all", types: ["LUA", "CHILD"] }, "a2 a3 b2"],
      [{ scope: "all", types: ["__proto__"] }, ""],
      [{ scope: "all", parents: [name("a1")] }, "a3"],
      [{ scope: "all", parents: [name("a1"), name("b1")] }, "a3 b2"],
      [{ scope: "all", childTypes: ["cell"] }, "a3"],
      [{ scope: "all", childTypes: ["cell", "string"] }, "a3 b2"],
      [{ scope: "all", blueprintIds: [name("P")] }, "a2 b2"],
      [{ scope: "all", blueprintIds: [name("P")], types: ["LUA"], siteId: name("B"), childTypes: ["string"] }, "b2"],
      [{ scope: "all", blueprintIds: [name("P")], types: ["CHILD"] }, ""],
    ];
    for (const [filter, expected] of cases) {
      expect({ filter, found: await find(filter) }).toEqual({ filter, found: expected });
    }
  });

  test("each write that changes something leaves its audit entry, every other write leaves none", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const before = await auditIds(stores);
    const kept = Array.from({ length: 4 }, () => makeEntry());
    const [first, second, third, fourth] = kept;
    const device = await devices.insert(makeDevice(siteId, { slug: "one" }), first!);
    const other = await devices.insert(makeDevice(siteId, { slug: "two" }), second!);
    await devices.update(device.id, { name: "x", updatedAt: LATER }, third!);
    await devices.delete(other.id, fourth!);
    await devices.update(other.id, { name: "x", updatedAt: LATER }, makeEntry());
    await devices.delete(other.id, makeEntry());
    await expectRefusal(devices.insert(makeDevice(siteId, { slug: "one" }), makeEntry()), "slug_taken");
    await expectRefusal(devices.insert(makeDevice(newId()), makeEntry()), "conflict");
    await expectRefusal(devices.update(device.id, { parentId: device.id, updatedAt: LATER }, makeEntry()), "conflict");
    expect(await auditIds(stores)).toEqual([...before, ...kept.map((entry) => entry.id)]);
  });

  test("a write whose audit entry cannot be stored is not stored either", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const device = await devices.insert(makeDevice(siteId), makeEntry());
    await expectNothingWithoutItsTrail(stores, (entry) => devices.insert(makeDevice(siteId), entry));
    await expectNothingWithoutItsTrail(stores, (entry) =>
      devices.update(device.id, { name: "x", updatedAt: LATER }, entry),
    );
    await expectNothingWithoutItsTrail(stores, (entry) => devices.delete(device.id, entry));
  });
}

/** Sites A and B, blueprint P, and devices whose names begin with their site. */
async function fleet(open: OpenStores) {
  const stores = await open();
  const ids = new Map(["A", "B", "P", "a1", "a2", "a3", "b1", "b2"].map((name) => [name, newId()]));
  const name = (short: string) => ids.get(short) ?? short;
  for (const short of ["A", "B"]) await stores.sites.insert(makeSite({ id: name(short) }), makeEntry());
  await stores.blueprints.insert(makeBlueprint({ id: name("P") }), new Uint8Array(), makeEntry());
  const blueprintId = name("P");
  for (const device of [
    makeDevice(name("A"), { id: name("a1"), slug: "hub" }),
    makeDevice(name("A"), { id: name("a2"), type: "LUA", blueprintId }),
    makeDevice(name("A"), { id: name("a3"), type: "CHILD", parentId: name("a1"), childType: "cell" }),
    makeDevice(name("B"), { id: name("b1"), slug: "hub" }),
    makeDevice(name("B"), { id: name("b2"), type: "LUA", blueprintId, parentId: name("b1"), childType: "string" }),
  ]) {
    await stores.devices.insert(device, makeEntry());
  }
  const shorts = new Map([...ids].map(([short, id]) => [id, short]));
  const find = async (filter: DeviceFilter) => {
    const { items, total } = await stores.devices.list(filter, ALL);
    expect(total).toBe(items.length);
    return items.map((device) => shorts.get(device.id)).join(" ");
  };
  return { name, find };
}
