// The prices of a site as they are stored: its tariff, and the stored prices of the days that are asked for.
import { type KnownPrices, usesStored } from "#core/energy/price-book.ts";
import { dayOf, type PriceDays } from "#core/energy/price-days.ts";
import type { Direction } from "#core/energy/rates.ts";
import { findPricing } from "#service/energy/read-costs.ts";
import type { Needs } from "#service/ports.ts";

export interface PricesAsked {
  readonly siteId: string;
  readonly timezone: string;
  readonly range: { readonly from: number; readonly to: number };
}

/** Undefined: the site has no tariff. */
export async function readKnownPrices(
  needs: Pick<Needs, "tariffs">,
  { siteId, timezone, range }: PricesAsked,
): Promise<KnownPrices | undefined> {
  const pricing = await findPricing(needs, { siteId, timezone });
  if (pricing === undefined) return undefined;
  const { tariff } = pricing;
  const days = { first: dayOf(range.from), last: dayOf(range.to - 1) };
  const read = async (of: Direction): Promise<PriceDays> =>
    usesStored(tariff, of) ? await needs.tariffs.prices(siteId, of, days) : new Map();
  const prices = { import: await read("import"), export: await read("export") };
  return { tariff, timezone, prices };
}
