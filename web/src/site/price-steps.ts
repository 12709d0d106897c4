// The prices of a site over a day, by its tariff. Pure.

import { MILLION, millionths } from "#core/energy/money.ts";
import { parseTariff } from "#core/energy/parse-tariff.ts";
import { changeOf, type PriceDays } from "#core/energy/price-days.ts";
import { createRates, type Direction } from "#core/energy/rates.ts";
import type { Tariff } from "#core/energy/tariff.ts";
import { versionsOf } from "#core/energy/tariff-versions.ts";
import { QUARTER_MS } from "#core/time/hour.ts";
import type { Step } from "#web/charts/paths.ts";

const DIRECTIONS: readonly Direction[] = ["import", "export"];

type Range = { readonly from: number; readonly to: number };
/** As the interface answers them. */
type StoredPrice = { readonly from: string; readonly to: string; readonly price: number };
export type StoredPrices = Readonly<Record<Direction, readonly StoredPrice[]>>;

/** Undefined for one that this version of the page does not understand. */
export function readTariff({ updated_at: _, ...document }: { readonly updated_at: string }): Tariff | undefined {
  return parseTariff(document).tariff;
}

/** The directions whose prices are stored, not written in the tariff itself. */
export function storedDirections(tariff: Tariff): readonly Direction[] {
  return DIRECTIONS.filter((of) => tariff.versions.some((version) => version[of]?.type === "prices"));
}

/** What a kilowatt-hour costs or earns in each direction. Quarters with the same price are one step; unknown ones have none. */
export function priceSteps(
  tariff: Tariff,
  { zone, range, stored }: { readonly zone: string; readonly range: Range; readonly stored: StoredPrices },
): Readonly<Record<Direction, readonly Step[]>> {
  const prices = { import: daysOf(stored.import), export: daysOf(stored.export) };
  const rateAt = createRates({ versionAt: versionsOf(tariff, zone), timezone: zone, prices });
  const stepsOf = (of: Direction): readonly Step[] => {
    const steps: { from: number; to: number; value: number }[] = [];
    const first = Math.floor(range.from / QUARTER_MS) * QUARTER_MS;
    for (let at = first; at < range.to; at += QUARTER_MS) {
      const rate = rateAt(of, at);
      if (rate === undefined) continue;
      const [value, last] = [rate.price / MILLION, steps.at(-1)];
      if (last?.to === at && last.value === value) last.to = at + QUARTER_MS;
      else steps.push({ from: at, to: at + QUARTER_MS, value });
    }
    return steps;
  };
  return { import: stepsOf("import"), export: stepsOf("export") };
}

function daysOf(rows: readonly StoredPrice[]): PriceDays {
  const change = changeOf(
    rows.map(({ from, to, price }) => ({ from: Date.parse(from), to: Date.parse(to), price: millionths(price) })),
  );
  return new Map([...change].map(([day, quarters]) => [day, quarters.map((price) => price ?? null)]));
}

/** The price at a moment. */
export function priceOf(steps: readonly Step[], at: number): number | undefined {
  return steps.find(({ from, to }) => at >= from && at < to)?.value;
}

/** The mean over a stretch of time, as far as prices are known. */
export function meanPrice(steps: readonly Step[], { from, to }: Range): number | undefined {
  let [sum, length] = [0, 0];
  for (const step of steps) {
    const overlap = Math.min(step.to, to) - Math.max(step.from, from);
    if (overlap <= 0) continue;
    sum += step.value * overlap;
    length += overlap;
  }
  return length === 0 ? undefined : sum / length;
}
