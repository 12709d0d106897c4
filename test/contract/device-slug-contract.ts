import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId, OBJECT_PROPERTY_NAMES } from "../support/records.ts";
import { ALL, auditIds, expectRefusal, type OpenStores, refusalsOf } from "./stores.ts";
import { withSite } from "./with-site.ts";

const LATER = instant(NOON + 60_000);

export function deviceSlugContract(open: OpenStores): void {
  test("a device without a slug gets the first free one made from its name", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    const slugOf = async (name: string) => (await devices.insert(makeDevice(siteId, { name }), makeEntry())).slug;
    expect(await slugOf("Roof inverter")).toBe("roof-inverter");
    expect(await slugOf("Roof inverter")).toBe("roof-inverter-2");
    expect(await slugOf("roof INVERTER!")).toBe("roof-inverter-3");
    const [second] = await devices.findBySlug("roof-inverter-2", "all");
    await devices.delete(second?.id ?? "", makeEntry());
    expect(await slugOf("Roof inverter")).toBe("roof-inverter-2");
    expect(await slugOf("Roof inverter")).toBe("roof-inverter-4");
    expect(await slugOf("🔋")).toBe("device");
    expect(await slugOf("电池")).toBe("device-2");
    expect(await slugOf("__proto__")).toBe("proto");
    expect(await slugOf("constructor")).toBe("constructor");
    expect(await slugOf("constructor")).toBe("constructor-2");
    expect(await slugOf("x".repeat(200))).toBe("x".repeat(64));
    expect(await slugOf("x".repeat(200))).toBe(`${"x".repeat(62)}-2`);
  });

  test("a slug is free in one site although another site uses it", async () => {
    const { stores, siteId } = await withSite(open);
    const other = makeSite();
    await stores.sites.insert(other, makeEntry());
    const { devices } = stores;
    for (const site of [siteId, other.id]) {
      expect(await devices.insert(makeDevice(site, { slug: "meter" }), makeEntry())).toMatchObject({ slug: "meter" });
      expect(await devices.insert(makeDevice(site, { name: "Pump" }), makeEntry())).toMatchObject({ slug: "pump" });
    }
  });

  test("a slug that another device of the site has is refused, at insert and at update", async () => {
    const { stores, siteId } = await withSite(open);
    const { devices } = stores;
    for (const slug of [...OBJECT_PROPERTY_NAMES, "meter"]) {
      const first = await devices.insert(makeDevice(siteId, { slug }), makeEntry());
      await expectRefusal(devices.insert(makeDevice(siteId, { slug }), makeEntry()), "slug_taken");
      const other = await devices.insert(makeDevice(siteId), makeEntry());
      await expectRefusal(devices.update(other.id, { slug, updatedAt: LATER }, makeEntry()), "slug_taken");
      expect(await devices.find(other.id)).toEqual(other);
      expect(await devices.update(first.id, { slug, updatedAt: LATER }, makeEntry())).toMatchObject({ slug });
    }
  });

  test("slugs that differ only in case are two slugs", async () => {
    const { stores, siteId } = await withSite(open);
    for (const slug of ["meter", "Meter", "METER"]) {
      const { id } = await stores.devices.insert(makeDevice(siteId, { slug }), makeEntry());
      expect((await stores.devices.findBySlug(slug, "all")).map((device) => device.id)).toEqual([id]);
    }
  });

  test("a slug finds the devices in scope that have it, at most two", async () => {
    const stores = await open();
    const [a, b, c] = [makeSite(), makeSite(), makeSite()];
    for (const site of [a, b, c]) await stores.sites.insert(site, makeEntry());
    const ids = new Map<string, string>();
    for (const { id } of [a, b, c]) {
      ids.set(id, (await stores.devices.insert(makeDevice(id, { slug: "constructor" }), makeEntry())).id);
      await stores.devices.insert(makeDevice(id, { slug: "other" }), makeEntry());
    }
    const sitesOf = async (...scope: string[]) =>
      (await stores.devices.findBySlug("constructor", new Set(scope))).map((device) => device.siteId);
    expect(await sitesOf(b.id)).toEqual([b.id]);
    expect(await sitesOf(c.id, a.id)).toEqual([a.id, c.id]);
    expect(await sitesOf(newId())).toEqual([]);
    expect(await sitesOf()).toEqual([]);
    expect(await sitesOf(a.id, b.id, c.id)).toHaveLength(2);
    expect(await stores.devices.findBySlug("constructor", "all")).toHaveLength(2);
    expect(await stores.devices.findBySlug("toString", "all")).toEqual([]);
    expect((await stores.devices.findBySlug("constructor", new Set([b.id])))[0]?.id).toBe(ids.get(b.id));
  });

  test("of 200 concurrent inserts with one slug exactly one is stored, and one audit entry with it", async () => {
    const { stores, siteId } = await withSite(open);
    const before = await auditIds(stores);
    const insert = () => stores.devices.insert(makeDevice(siteId, { slug: "meter" }), makeEntry());
    const results = await Promise.allSettled(Array.from({ length: 200 }, insert));
    expect(refusalsOf(results)).toEqual(Array(199).fill("slug_taken"));
    expect((await stores.devices.list({ scope: "all" }, ALL)).total).toBe(1);
    expect(await auditIds(stores)).toHaveLength(before.length + 1);
  });

  test("200 concurrent inserts without a slug get the first 200 slugs of their name", async () => {
    const { stores, siteId } = await withSite(open);
    const insert = () => stores.devices.insert(makeDevice(siteId, { name: "Pump" }), makeEntry());
    const devices = await Promise.all(Array.from({ length: 200 }, insert));
    const expected = Array.from({ length: 200 }, (_, i) => (i === 0 ? "pump" : `pump-${i + 1}`));
    expect(devices.map((device) => device.slug).sort()).toEqual(expected.sort());
    const stored = await stores.devices.list({ scope: "all" }, ALL);
    expect(stored.items).toEqual(devices.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
  });
}
