import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { ALL, expectRefusal, type OpenStores, refusalsOf } from "./stores.ts";
import { withSite } from "./with-site.ts";

const LATER = instant(NOON + 60_000);

export function deviceTreeContract(open: OpenStores): void {
  test("a parent that is gone, elsewhere or below the device is refused", async () => {
    const { stores, siteId } = await withSite(open);
    const ids = await chain(stores, siteId, 4);
    const [top, second, third, bottom] = ids;
    const abroad = makeSite();
    await stores.sites.insert(abroad, makeEntry());
    const stranger = await stores.devices.insert(makeDevice(abroad.id), makeEntry());
    const cases: readonly (readonly [string | undefined, string | undefined])[] = [
      [top, top],
      [top, second],
      [top, third],
      [top, bottom],
      [second, bottom],
      [bottom, bottom],
      [top, newId()],
      [top, "constructor"],
      [bottom, stranger.id],
    ];
    const before = await stores.devices.list({ scope: "all" }, ALL);
    for (const [id, parentId] of cases) await expectRefusal(adopt(stores, id, parentId), "conflict");
    expect(await stores.devices.list({ scope: "all" }, ALL)).toEqual(before);
  });

  test("a new device cannot be its own parent, nor have one elsewhere", async () => {
    const { stores, siteId } = await withSite(open);
    const abroad = makeSite();
    await stores.sites.insert(abroad, makeEntry());
    const stranger = await stores.devices.insert(makeDevice(abroad.id), makeEntry());
    const own = makeDevice(siteId);
    await expectRefusal(stores.devices.insert({ ...own, parentId: own.id }, makeEntry()), "conflict");
    await expectRefusal(stores.devices.insert({ ...own, parentId: stranger.id }, makeEntry()), "conflict");
    expect(await stores.devices.find(own.id)).toBeUndefined();
  });

  test("a device may move to any place that is not below itself", async () => {
    const { stores, siteId } = await withSite(open);
    const [top, second, third, bottom] = await chain(stores, siteId, 4);
    for (const [id, parentId] of [
      [bottom, top],
      [third, bottom],
      [second, undefined],
      [top, second],
    ]) {
      expect(await adopt(stores, id, parentId)).toMatchObject({ id, parentId });
    }
  });

  test("of concurrent moves that would close a circle one is refused", async () => {
    const { stores, siteId } = await withSite(open);
    for (let round = 0; round < 20; round++) {
      const [one, other] = [await addDevice(stores, siteId), await addDevice(stores, siteId)];
      const results = await Promise.allSettled([adopt(stores, one, other), adopt(stores, other, one)]);
      expect(refusalsOf(results)).toEqual(["conflict"]);
    }
  });

  test("a device with children is not deleted until they are gone", async () => {
    const { stores, siteId } = await withSite(open);
    const [top, middle, bottom] = await chain(stores, siteId, 3);
    const remove = (id: string | undefined) => stores.devices.delete(id ?? "", makeEntry());
    await expectRefusal(remove(top), "conflict");
    await expectRefusal(remove(middle), "conflict");
    expect((await stores.devices.list({ scope: "all" }, ALL)).total).toBe(3);
    for (const id of [bottom, middle, top]) expect(await remove(id)).toBe(true);
    expect(await remove(top)).toBe(false);
    expect((await stores.devices.list({ scope: "all" }, ALL)).total).toBe(0);
  });

  test("a child never outlives a parent that is deleted while it is made", async () => {
    const { stores, siteId } = await withSite(open);
    for (let round = 0; round < 20; round++) {
      const parentId = await addDevice(stores, siteId);
      const child = makeDevice(siteId, { parentId });
      const results = await Promise.allSettled([
        stores.devices.insert(child, makeEntry()),
        stores.devices.delete(parentId, makeEntry()),
      ]);
      expect(refusalsOf(results)).toEqual(["conflict"]);
      const [hasChild, hasParent] = [await stores.devices.find(child.id), await stores.devices.find(parentId)];
      expect(hasChild === undefined).toBe(hasParent === undefined);
    }
  });

  test("a site never vanishes under a device that is made meanwhile", async () => {
    const { stores } = await withSite(open);
    for (let round = 0; round < 20; round++) {
      const site = makeSite();
      await stores.sites.insert(site, makeEntry());
      const results = await Promise.allSettled([
        stores.sites.delete(site.id, makeEntry()),
        stores.devices.insert(makeDevice(site.id), makeEntry()),
      ]);
      expect(refusalsOf(results)).toEqual(["conflict"]);
      const devices = await stores.devices.list({ scope: "all", siteId: site.id }, ALL);
      expect(devices.total).toBe((await stores.sites.find(site.id)) === undefined ? 0 : 1);
    }
  });
}

async function addDevice(stores: SubjectStores, siteId: string, parentId?: string): Promise<string> {
  return (await stores.devices.insert(makeDevice(siteId, { parentId }), makeEntry())).id;
}

/** Ids of devices of which each is the parent of the next. */
async function chain(stores: SubjectStores, siteId: string, length: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < length; i++) ids.push(await addDevice(stores, siteId, ids.at(-1)));
  return ids;
}

function adopt(stores: SubjectStores, id: string | undefined, parentId: string | undefined) {
  return stores.devices.update(id ?? "", { parentId, updatedAt: LATER }, makeEntry());
}
