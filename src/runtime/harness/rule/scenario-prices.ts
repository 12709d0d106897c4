// What energy costs in a scenario, at any moment.
import type { PriceAt } from "#core/energy/price-book.ts";
import type { Direction } from "#core/energy/rates.ts";
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import type { GivenPrices, GivenTariff } from "#manifest/rule-scenario/prices.ts";

export interface ScenarioPrices {
  readonly at: PriceAt;
  /** A list adds to what was there before; anything else replaces it. */
  set(tariff: GivenTariff): void;
}

export function createScenarioPrices(timezone: string, first: GivenTariff): ScenarioPrices {
  const offsetAt = localOffsets(timezone);
  const given = new Map<Direction, readonly GivenPrices[]>();
  const prices: ScenarioPrices = {
    at(of, at) {
      const found = (given.get(of) ?? []).find((one) => one.kind !== "listed" || isListed(one, at));
      if (found === undefined || found.kind === "fixed") return found?.price;
      if (found.kind === "listed") return found.prices[placeIn(found, at)];
      const minutes = Math.floor(((at + offsetAt(at)) % DAY_MS) / 60_000);
      // Before the first one, the last of the day before holds.
      return (found.ranges.findLast((range) => range.minutes <= minutes) ?? found.ranges.at(-1))?.price;
    },
    set(tariff) {
      for (const [of, one] of tariff) given.set(of, one.kind === "listed" ? [one, ...(given.get(of) ?? [])] : [one]);
    },
  };
  prices.set(first);
  return prices;
}

type Listed = Extract<GivenPrices, { readonly kind: "listed" }>;

const placeIn = ({ from, stepMs }: Listed, at: number): number => Math.floor((at - from) / stepMs);

const isListed = (one: Listed, at: number): boolean => at >= one.from && placeIn(one, at) < one.prices.length;
