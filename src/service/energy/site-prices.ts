// The prices of sites around now, in memory for rules. What is stored is looked at once a second at most, so what somebody
// changes here, on another node or by a file counts within a second.
import { createPriceBook, type PriceAt } from "#core/energy/price-book.ts";
import { DAY_MS } from "#core/time/hour.ts";
import type { Needs } from "#service/ports.ts";
import { readKnownPrices } from "./known-prices.ts";

export interface SitePrices {
  /** The same answer as before as long as nothing changes. */
  around(siteId: string, timezone: string): Promise<PriceAt>;
}

export type SitePricesNeeds = Pick<Needs, "tariffs" | "now">;

/** The hours of a day may begin on the day before and end on the next one. */
export const DAYS_AROUND_MS = 3 * DAY_MS;
const LOOK_MS = 1_000;
const MOST_SITES = 1_000;

interface Kept {
  readonly mark: string;
  readonly priceAt: PriceAt;
  readonly lookedAt: number;
}

export function createSitePrices(needs: SitePricesNeeds): SitePrices {
  const kept = new Map<string, Promise<Kept>>();

  async function look(siteId: string, timezone: string, before: Kept | undefined): Promise<Kept> {
    const lookedAt = needs.now();
    const range = { from: lookedAt - DAYS_AROUND_MS, to: lookedAt + DAYS_AROUND_MS };
    const known = await readKnownPrices(needs, { siteId, timezone, range });
    const mark =
      known === undefined ? "" : JSON.stringify(known, (_, value) => (value instanceof Map ? [...value] : value));
    if (before?.mark === mark) return { ...before, lookedAt };
    return { mark, priceAt: known === undefined ? () => undefined : createPriceBook(known), lookedAt };
  }

  return {
    async around(siteId, timezone) {
      const known = await kept.get(siteId)?.catch(() => undefined);
      const ageMs = needs.now() - (known?.lookedAt ?? 0);
      if (known !== undefined && ageMs >= 0 && ageMs < LOOK_MS) return known.priceAt;
      const own = look(siteId, timezone, known);
      if (kept.size >= MOST_SITES) kept.clear();
      kept.set(siteId, own);
      return (await own).priceAt;
    },
  };
}
