import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import {
  ALL,
  auditIds,
  expectNothingWithoutItsTrail,
  expectRefusal,
  type OpenStores,
  pagingContract,
} from "./stores.ts";

const LATER = instant(NOON + 60_000);

export function siteStoreContract(open: OpenStores): void {
  test("a site is found as it was stored, with or without a location", async () => {
    const { sites } = await open();
    for (const fields of [
      {},
      { location: { name: "Barn" } },
      { location: { name: "Barn", latitude: -52.5, longitude: 13.000001 } },
    ]) {
      const site = makeSite(fields);
      await sites.insert(site, makeEntry());
      expect(await sites.find(site.id)).toStrictEqual(site);
    }
  });

  test("a site and its location may have any name", async () => {
    const { sites } = await open();
    const made = [...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((name) => makeSite({ name, location: { name } }));
    for (const site of made) await sites.insert(site, makeEntry());
    expect((await sites.list("all", ALL)).items).toStrictEqual(made);
  });

  test("a location can be taken away, and only what a change names is changed", async () => {
    const { sites } = await open();
    const { location, ...site } = makeSite({ location: { name: "Barn" } });
    await sites.insert({ ...site, location: { name: "Barn" } }, makeEntry());
    const renamed = { ...site, name: "x", location, updatedAt: LATER };
    expect(await sites.update(site.id, { name: "x", updatedAt: LATER }, makeEntry())).toStrictEqual(renamed);
    const { location: _, ...bare } = renamed;
    expect(await sites.update(site.id, { location: undefined, updatedAt: LATER }, makeEntry())).toStrictEqual(bare);
    expect(await sites.find(site.id)).toStrictEqual(bare);
  });

  test("an id that no site has finds, changes and deletes nothing", async () => {
    const { sites } = await open();
    for (const id of [...OBJECT_PROPERTY_NAMES, "", newId()]) {
      expect(await sites.find(id)).toBeUndefined();
      expect(await sites.update(id, { name: "x", updatedAt: LATER }, makeEntry())).toBeUndefined();
      expect(await sites.delete(id, makeEntry())).toBe(false);
    }
  });

  test("sites are listed in the order of their ids, whatever the order of storing", async () => {
    const { sites } = await open();
    const made = [makeSite(), makeSite(), makeSite()];
    for (const site of made.toReversed()) await sites.insert(site, makeEntry());
    expect((await sites.list("all", ALL)).items).toEqual(made);
  });

  pagingContract(
    open,
    async ({ sites }) => {
      const made = Array.from({ length: 5 }, () => makeSite());
      for (const site of made) await sites.insert(site, makeEntry());
      return made.map((site) => site.id);
    },
    ({ sites }, page) => sites.list("all", page),
  );

  test("a scope of sites hides the others from the list and from its count", async () => {
    const { sites } = await open();
    const made = [makeSite(), makeSite(), makeSite()] as const;
    for (const site of made) await sites.insert(site, makeEntry());
    const seen = async (...ids: string[]) => (await sites.list(new Set(ids), ALL)).items.map((site) => site.id);
    expect(await seen(made[2].id, made[0].id)).toEqual([made[0].id, made[2].id]);
    expect(await seen(made[1].id, newId(), "constructor")).toEqual([made[1].id]);
    expect(await seen()).toEqual([]);
    expect(await sites.list(new Set([made[1].id]), { limit: 0, offset: 0 })).toEqual({ items: [], total: 1 });
    expect(await sites.list(new Set(), ALL)).toEqual({ items: [], total: 0 });
  });

  test("an update changes what it names, keeps the rest and gives the site as it is now", async () => {
    const { sites } = await open();
    const site = makeSite({ location: { name: "Barn" } });
    const other = makeSite();
    await sites.insert(site, makeEntry());
    await sites.insert(other, makeEntry());
    const renamed = { ...site, name: "South field", updatedAt: LATER };
    expect(await sites.update(site.id, { name: "South field", updatedAt: LATER }, makeEntry())).toStrictEqual(renamed);
    expect(await sites.find(site.id)).toStrictEqual(renamed);
    const moved = { ...renamed, timezone: "UTC", location: { name: "Mill", latitude: 0, longitude: 0 } };
    await sites.update(site.id, { timezone: "UTC", location: moved.location, updatedAt: LATER }, makeEntry());
    expect(await sites.find(site.id)).toStrictEqual(moved);
    expect(await sites.find(other.id)).toStrictEqual(other);
  });

  test("an assumed time zone is kept until a change gives one", async () => {
    const { sites } = await open();
    const site = makeSite({ timezoneAssumed: true });
    await sites.insert(site, makeEntry());
    expect(await sites.find(site.id)).toStrictEqual(site);
    const renamed = { ...site, name: "South field", updatedAt: LATER };
    expect(await sites.update(site.id, { name: "South field", updatedAt: LATER }, makeEntry())).toStrictEqual(renamed);
    const { timezoneAssumed: _, ...confirmed } = renamed;
    const same = { timezone: site.timezone, updatedAt: LATER };
    expect(await sites.update(site.id, same, makeEntry())).toStrictEqual(confirmed);
    expect(await sites.find(site.id)).toStrictEqual(confirmed);
  });

  test("a deleted site is gone, and deleting it again says there is none", async () => {
    const { sites } = await open();
    const site = makeSite();
    await sites.insert(site, makeEntry());
    expect(await sites.delete(site.id, makeEntry())).toBe(true);
    expect(await sites.find(site.id)).toBeUndefined();
    expect(await sites.delete(site.id, makeEntry())).toBe(false);
  });

  test("a site with devices is not deleted until they are gone", async () => {
    const { sites, devices } = await open();
    const site = makeSite();
    await sites.insert(site, makeEntry());
    const device = await devices.insert(makeDevice(site.id), makeEntry());
    await expectRefusal(sites.delete(site.id, makeEntry()), "conflict");
    expect(await sites.find(site.id)).toEqual(site);
    await devices.delete(device.id, makeEntry());
    expect(await sites.delete(site.id, makeEntry())).toBe(true);
  });

  test("each write that changes something leaves its audit entry, every other write leaves none", async () => {
    const stores = await open();
    const { sites, devices } = stores;
    const [site, empty] = [makeSite(), makeSite()];
    const kept = Array.from({ length: 5 }, () => makeEntry());
    const [first, second, third, fourth, fifth] = kept;
    await sites.insert(site, first!);
    await sites.insert(empty, second!);
    await devices.insert(makeDevice(site.id), third!);
    await sites.update(site.id, { name: "x", updatedAt: LATER }, fourth!);
    await sites.delete(empty.id, fifth!);
    await sites.update(empty.id, { name: "x", updatedAt: LATER }, makeEntry());
    await sites.delete(empty.id, makeEntry());
    await expectRefusal(sites.delete(site.id, makeEntry()), "conflict");
    await expect(sites.insert(site, makeEntry())).rejects.toThrow();
    expect(await auditIds(stores)).toEqual(kept.map((entry) => entry.id));
  });

  test("a write whose audit entry cannot be stored is not stored either", async () => {
    const stores = await open();
    const { sites } = stores;
    const site = makeSite();
    await sites.insert(site, makeEntry());
    await expectNothingWithoutItsTrail(stores, (entry) => sites.insert(makeSite(), entry));
    await expectNothingWithoutItsTrail(stores, (entry) =>
      sites.update(site.id, { name: "x", updatedAt: LATER }, entry),
    );
    await expectNothingWithoutItsTrail(stores, (entry) => sites.delete(site.id, entry));
  });

  test("of 200 concurrent inserts with one id exactly one is stored", async () => {
    const stores = await open();
    const id = newId();
    const tries = Array.from({ length: 200 }, (_, i) =>
      stores.sites.insert(makeSite({ id, name: `${i}` }), makeEntry()),
    );
    const results = await Promise.allSettled(tries);
    const winner = results.findIndex((result) => result.status === "fulfilled");
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await stores.sites.find(id)).toMatchObject({ name: `${winner}` });
    expect(await auditIds(stores)).toHaveLength(1);
  });
}
