import { expect, test } from "vitest";
import { changeOf, EMPTY_DAY, rowsOf } from "#core/energy/price-days.ts";
import { makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";

const QUARTER = 900_000;
const DAY = 86_400_000;
/** Midnight of UTC. */
const START = Math.floor(NOON / DAY) * DAY;
const FIRST = START / DAY;
const DOCUMENT = { currency: "EUR", versions: [{ import: { type: "fixed", price: 0.3, name: "Größe\u2028" } }] };

export function tariffStoreContract(open: OpenStores): void {
  const world = async () => {
    const stores = await open();
    const [site, other] = [makeSite(), makeSite()];
    for (const one of [site, other]) await stores.sites.insert(one, makeEntry());
    return { stores, tariffs: stores.tariffs, siteId: site.id, otherId: other.id };
  };
  const days = { first: FIRST - 1_000, last: FIRST + 1_000 };

  test("a tariff is read as it was written, replaced and deleted, site by site", async () => {
    const { stores, tariffs, siteId, otherId } = await world();
    expect(await tariffs.find(siteId)).toBeUndefined();
    await tariffs.put(siteId, { document: DOCUMENT, updatedAt: NOON }, makeEntry());
    expect(await tariffs.find(siteId)).toMatchObject({
      document: DOCUMENT,
      updatedAt: NOON,
      tariff: { currency: "EUR" },
    });
    expect(await tariffs.find(otherId)).toBeUndefined();
    await tariffs.put(siteId, { document: { ...DOCUMENT, currency: "CHF" }, updatedAt: NOON }, makeEntry());
    expect((await tariffs.find(siteId))?.tariff.currency).toBe("CHF");
    const before = (await auditIds(stores)).length;
    expect(await tariffs.delete(otherId, makeEntry())).toBe(false);
    expect(await tariffs.delete(siteId, makeEntry())).toBe(true);
    expect([await tariffs.find(siteId), (await auditIds(stores)).length - before]).toEqual([undefined, 1]);
  });

  test("prices change quarter by quarter, over midnight, and kinds and sites do not mix", async () => {
    const { tariffs, siteId, otherId } = await world();
    const at = (quarter: number) => START + quarter * QUARTER;
    const put = async (...rows: readonly (readonly [from: number, to: number, price: number | null])[]) =>
      await tariffs.changePrices(
        siteId,
        "import",
        changeOf(rows.map(([from, to, price]) => ({ from: at(from), to: at(to), price }))),
        makeEntry(),
      );
    const read = async () => rowsOf(await tariffs.prices(siteId, "import", days), { from: -DAY, to: START + 10 * DAY });
    await put([92, 100, 250_000], [-4, 0, -31_500]);
    await put([94, 98, 0]);
    expect(await read()).toEqual([
      { from: at(-4), to: at(0), price: -31_500 },
      { from: at(92), to: at(94), price: 250_000 },
      { from: at(94), to: at(98), price: 0 },
      { from: at(98), to: at(100), price: 250_000 },
    ]);
    expect((await tariffs.prices(siteId, "import", { first: FIRST, last: FIRST })).get(FIRST)).toHaveLength(
      EMPTY_DAY.length,
    );
    expect([...(await tariffs.prices(siteId, "import", { first: FIRST, last: FIRST })).keys()]).toEqual([FIRST]);
    for (const [id, kind] of [
      [siteId, "export"],
      [siteId, "co2"],
      [otherId, "import"],
    ] as const) {
      expect(await tariffs.prices(id, kind, days)).toEqual(new Map());
    }
    await put([-4, 100, null]);
    expect(await tariffs.prices(siteId, "import", days)).toEqual(new Map());
  });

  test("tariff and prices are stored with their audit entry or not at all, and go with their site", async () => {
    const { stores, tariffs, siteId } = await world();
    const document = { document: DOCUMENT, updatedAt: NOON };
    const change = changeOf([{ from: START, to: START + DAY, price: 1 }]);
    await expectNothingWithoutItsTrail(stores, (entry) => tariffs.put(siteId, document, entry));
    await expectNothingWithoutItsTrail(stores, (entry) => tariffs.changePrices(siteId, "co2", change, entry));
    expect([await tariffs.find(siteId), (await tariffs.prices(siteId, "co2", days)).size]).toEqual([undefined, 0]);
    await tariffs.put(siteId, document, makeEntry());
    await tariffs.changePrices(siteId, "co2", change, makeEntry());
    await stores.sites.delete(siteId, makeEntry());
    expect([await tariffs.find(siteId), (await tariffs.prices(siteId, "co2", days)).size]).toEqual([undefined, 0]);
    await expectRefusal(tariffs.put(siteId, document, makeEntry()), "not_found");
    await expectRefusal(tariffs.changePrices(newId(), "co2", change, makeEntry()), "not_found");
  });
}
