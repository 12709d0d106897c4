import { expect, test } from "vitest";
import { changeOf } from "#core/energy/price-days.ts";
import type { PriceSourceRecord } from "#core/energy/price-source.ts";
import { instant } from "#core/time/instant.ts";
import { makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";

const DAY = 86_400_000;
const START = Math.floor(NOON / DAY) * DAY;

export function makePriceSource(siteId: string, nextAt: number = NOON): PriceSourceRecord {
  return {
    siteId,
    kind: "import",
    source: {
      url: "https://prices.example/{today}?größe=1",
      header: "X-Key",
      time: "/data/*/start",
      price: "/data/*/price",
      timeFormat: "ms",
      resolution: "1h",
      scale: 0.001,
      every: "1h",
    },
    sealedHeader: new Uint8Array([1, 2, 3]),
    updatedAt: NOON,
    state: {
      nextAt: instant(nextAt),
      failures: 0,
      succeededAt: undefined,
      rows: undefined,
      failedAt: undefined,
      error: undefined,
    },
  };
}

export function priceSourceContract(open: OpenStores): void {
  const world = async () => {
    const stores = await open();
    const [site, other] = [makeSite(), makeSite()];
    for (const one of [site, other]) await stores.sites.insert(one, makeEntry());
    return { stores, sources: stores.priceSources, siteId: site.id, otherId: other.id };
  };

  test("a source is read as it was written, replaced, deleted, and goes with its site", async () => {
    const { stores, sources, siteId, otherId } = await world();
    const record = makePriceSource(siteId);
    await expectNothingWithoutItsTrail(stores, (entry) => sources.put(record, entry));
    expect(await sources.find(siteId, "import")).toBeUndefined();
    await sources.put(record, makeEntry());
    expect(await sources.find(siteId, "import")).toEqual(record);
    const { header: _, ...plain } = record.source;
    const without = { ...record, source: { ...plain, header: undefined }, sealedHeader: undefined };
    await sources.put({ ...without, kind: "co2" }, makeEntry());
    await sources.put(without, makeEntry());
    expect(await sources.ofSite(siteId)).toEqual([without, { ...without, kind: "co2" }]);
    expect(await sources.ofSite(otherId)).toEqual([]);
    expect(await sources.delete(siteId, "import", makeEntry())).toBe(true);
    expect(await sources.delete(siteId, "import", makeEntry())).toBe(false);
    await stores.sites.delete(siteId, makeEntry());
    expect(await sources.ofSite(siteId)).toEqual([]);
    await expectRefusal(sources.put(makePriceSource(newId()), makeEntry()), "not_found");
  });

  test("those that are due are given, the longest overdue first, and one that a wrong clock put off", async () => {
    const { sources, siteId, otherId } = await world();
    await sources.put(makePriceSource(siteId, NOON), makeEntry());
    await sources.put({ ...makePriceSource(siteId, NOON - 5), kind: "export" }, makeEntry());
    await sources.put({ ...makePriceSource(siteId, NOON + 1), kind: "co2" }, makeEntry());
    await sources.put(makePriceSource(otherId, NOON + 30 * DAY), makeEntry());
    const due = async (limit: number) =>
      (await sources.due(NOON, limit))
        .filter(({ siteId: id }) => [siteId, otherId].includes(id))
        .map(({ kind }) => kind);
    expect(await due(100)).toEqual(["export", "import", "import"]);
    expect((await sources.due(NOON, 1)).length).toBe(1);
  });

  test("a fetch is settled together with its prices, unless the source has changed", async () => {
    const { stores, sources, siteId } = await world();
    const record = makePriceSource(siteId);
    await sources.put(record, makeEntry());
    const state = {
      ...record.state,
      nextAt: instant(NOON + 60_000),
      failures: 3,
      failedAt: NOON,
      error: "answered 500",
    };
    const place = { siteId, kind: "import", updatedAt: NOON } as const;
    const before = (await auditIds(stores)).length;
    expect(await sources.settle({ ...place, state, prices: undefined })).toBe(true);
    expect((await sources.find(siteId, "import"))?.state).toEqual(state);
    const change = changeOf([{ from: START, to: START + DAY, price: 7 }]);
    const done = { ...state, failures: 0, succeededAt: NOON, rows: 24 };
    const stale = { ...place, updatedAt: instant(NOON - 1) };
    expect(await sources.settle({ ...stale, state: done, prices: { change, trail: makeEntry() } })).toBe(false);
    const days = { first: START / DAY, last: START / DAY };
    expect((await stores.tariffs.prices(siteId, "import", days)).size).toBe(0);
    expect((await auditIds(stores)).length).toBe(before);
    expect(await sources.settle({ ...place, state: done, prices: { change, trail: makeEntry() } })).toBe(true);
    expect((await stores.tariffs.prices(siteId, "import", days)).get(days.first)?.[95]).toBe(7);
    expect([(await auditIds(stores)).length - before, (await sources.find(siteId, "import"))?.state]).toEqual([
      1,
      done,
    ]);
  });
}
