// Which price is in force at a moment.
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS, QUARTER_MS } from "#core/time/hour.ts";
import { type PriceDays, priceAt } from "./price-days.ts";
import { type PriceRule, QUARTERS_OF_DAY, type Rate, tablePlace } from "./tariff.ts";
import type { VersionAt } from "./tariff-versions.ts";

export type Direction = "import" | "export";

export interface Rates {
  readonly versionAt: VersionAt;
  readonly timezone: string;
  readonly prices: Readonly<Record<Direction, PriceDays>>;
}

/** The rate of a quarter of an hour. Undefined: no price is known. */
export function createRates({ versionAt, timezone, prices }: Rates): (of: Direction, at: number) => Rate | undefined {
  const offsetAt = localOffsets(timezone);
  const placeAt = createPlaces();
  return (of, at) => {
    const rule = versionAt(at)?.[of];
    if (rule === undefined) return undefined;
    if (rule.type === "fixed") return rule.rate;
    if (rule.type === "time_of_use") {
      return rule.rates[rule.table[placeAt(at + offsetAt(at))] ?? rule.rates.length];
    }
    const stored = priceAt(prices[of], at);
    return stored === undefined ? undefined : { name: rule.name, price: withSurcharge(rule, stored) };
  };
}

/** (price + add) * factor, rounded to a millionth. */
export function withSurcharge({ add, factor }: Extract<PriceRule, { type: "prices" }>, price: number): number {
  return Math.round((price + add) * factor) + 0;
}

/** The place of a local time in the table of a time-of-use price. Quarters of the same day follow each other. */
function createPlaces(): (local: number) => number {
  let [today, first] = [Number.NaN, 0];
  return (local) => {
    const day = Math.floor(local / DAY_MS);
    if (day !== today) {
      const date = new Date(local);
      today = day;
      // getUTCDay counts from Sunday.
      first = tablePlace(date.getUTCMonth(), (date.getUTCDay() + 6) % 7, 0);
    }
    return first + Math.floor(local / QUARTER_MS) - day * QUARTERS_OF_DAY;
  };
}
