import { expect, test } from "vitest";
import { type MaintenanceWindow, MOST_WINDOWS } from "#core/alert/maintenance.ts";
import { instant } from "#core/time/instant.ts";
import { makeDevice, makeEntry, NOON, newId } from "../support/records.ts";
import { ALL, auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const make = (siteId: string, fields: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  ...{ id: newId(), siteId, deviceId: undefined, from: NOON, until: instant(NOON + 100), reason: "汉 filters" },
  ...{ madeBy: { tokenId: "t1", name: "Anna" }, madeAt: NOON },
  ...fields,
});

export function maintenanceStoreContract(open: OpenStores): void {
  test("windows are listed by their end, and those that are over are left out where only others count", async () => {
    const { stores, siteId } = await withSite(open);
    const [first, second] = [make(siteId), make(siteId, { until: instant(NOON + 200), reason: undefined })];
    for (const one of [first, second]) await stores.maintenance.insert(one, makeEntry());
    expect(await stores.maintenance.list(siteId, ALL)).toEqual({ items: [second, first], total: 2 });
    expect(await stores.maintenance.notOver(siteId, instant(NOON + 100))).toEqual([second]);
    expect(await stores.maintenance.notOver(newId(), NOON)).toEqual([]);
  });

  test("an open window ends now, one that has not begun is deleted, and one that is over stays as it was", async () => {
    const { stores, siteId } = await withSite(open);
    const [now, later] = [instant(NOON + 10), instant(NOON + 50)];
    const [begun, planned, over] = [make(siteId), make(siteId, { from: later }), make(siteId, { until: now })];
    for (const one of [begun, planned, over]) await stores.maintenance.insert(one, makeEntry());
    const entry = makeEntry();
    expect(await stores.maintenance.end({ siteId, id: begun.id, now }, entry)).toEqual({ ...begun, until: now });
    expect(await auditIds(stores)).toContain(entry.id);
    await stores.maintenance.end({ siteId, id: planned.id, now }, makeEntry());
    for (const [site, id] of [
      [siteId, over.id],
      [newId(), begun.id],
      [siteId, newId()],
    ] as const)
      expect(await stores.maintenance.end({ siteId: site, id, now }, makeEntry())).toBeUndefined();
    const { items } = await stores.maintenance.list(siteId, ALL);
    expect(new Map(items.map(({ id, until }) => [id, until]))).toEqual(
      new Map([
        [begun.id, now],
        [over.id, now],
      ]),
    );
  });

  test("a site has a limited number that are not over, and only of what is there", async () => {
    const { stores, siteId } = await withSite(open);
    await stores.maintenance.insert(make(siteId, { until: NOON }), makeEntry());
    for (let count = 0; count < MOST_WINDOWS; count++) await stores.maintenance.insert(make(siteId), makeEntry());
    await expectRefusal(stores.maintenance.insert(make(siteId), makeEntry()), "conflict");
    await expectRefusal(stores.maintenance.insert(make(newId()), makeEntry()), "not_found");
    const elsewhere = await withSite(async () => stores);
    const device = makeDevice(elsewhere.siteId);
    await stores.devices.insert(device, makeEntry());
    await expectRefusal(stores.maintenance.insert(make(siteId, { deviceId: device.id }), makeEntry()), "not_found");
  });

  test("old ones are deleted, and all go with their site", async () => {
    const { stores, siteId } = await withSite(open);
    await stores.maintenance.insert(make(siteId, { until: NOON }), makeEntry());
    const kept = make(siteId);
    await stores.maintenance.insert(kept, makeEntry());
    expect(await stores.maintenance.prune(instant(NOON + 100))).toBe(1);
    expect((await stores.maintenance.list(siteId, ALL)).items).toEqual([kept]);
    await stores.sites.delete(siteId, makeEntry());
    expect((await stores.maintenance.list(siteId, ALL)).total).toBe(0);
  });
}
