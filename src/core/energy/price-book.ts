// What a kilowatt-hour costs at a site at any moment, as far as it is known. Plain data, so that it travels between threads.
import { MILLION } from "./money.ts";
import type { PriceDays } from "./price-days.ts";
import { createRates, type Direction } from "./rates.ts";
import type { PriceRule, Tariff } from "./tariff.ts";
import { versionsOf } from "./tariff-versions.ts";

export interface KnownPrices {
  readonly tariff: Tariff;
  /** An IANA name. */
  readonly timezone: string;
  /** Of the days that somebody may ask for. */
  readonly prices: Readonly<Record<Direction, PriceDays>>;
}

/** In the currency of the tariff. Undefined: no price is known. */
export type PriceAt = (of: Direction, at: number) => number | undefined;

export function createPriceBook({ tariff, timezone, prices }: KnownPrices): PriceAt {
  const rateAt = createRates({ versionAt: versionsOf(tariff, timezone), timezone, prices });
  return (of, at) => {
    const price = rateAt(of, at)?.price;
    return price === undefined ? undefined : price / MILLION;
  };
}

/** Without a tariff, or without a price in any of its versions, there is nothing to ask for. */
export function pricedDirections(tariff: Tariff | undefined): readonly Direction[] {
  return DIRECTIONS.filter((of) => tariff?.versions.some((version) => version[of] !== undefined));
}

export const usesStored = ({ versions }: Tariff, of: Direction): boolean =>
  versions.some((version) => isStored(version[of]));

const isStored = (rule: PriceRule | undefined): boolean => rule?.type === "prices";

export const DIRECTIONS = ["import", "export"] as const satisfies readonly Direction[];
