// What a script of a rule hears about prices, on a gateway and in a scenario alike.
import { cheapestSpan } from "#core/energy/cheapest-times.ts";
import type { PriceAt } from "#core/energy/price-book.ts";
import { DAY_MS, QUARTER_MS } from "#core/time/hour.ts";
import { optionsAt, RuleProblem, windowOf } from "./rule-arguments.ts";

export interface AskedPrices {
  readonly currency: string;
  readonly priceAt: PriceAt;
  /** The name of the rate at which energy is bought then. */
  readonly rateAt: (at: number) => string;
}

export interface CheapestAsked {
  readonly from: number;
  readonly to: number;
  readonly lengthMs: number;
}

export const LONGEST_WINDOW_MS = 7 * DAY_MS;

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Unix seconds. */
export function momentOf(value: unknown): number {
  if (typeof value === "number" && value >= 0 && value < 253_402_300_800) return value * 1000;
  throw new RuleProblem("a time is a number of seconds since 1970, as os.time() gives it");
}

/** The time that `tariff.at` asks for. */
export const momentAsked = ([time]: readonly unknown[], now: number): number => (isGiven(time) ? momentOf(time) : now);

export function pricesThen({ currency, priceAt, rateAt }: AskedPrices, at: number): readonly unknown[] {
  const [bought, sold] = [priceAt("import", at), priceAt("export", at)];
  if (bought === undefined && sold === undefined) throw new RuleProblem("no price is known for this time");
  const known = {
    ...(bought === undefined ? {} : { import: bought }),
    ...(sold === undefined ? {} : { export: sold }),
  };
  return [{ currency, rate: rateAt(at), ...known }];
}

/** The span that `tariff.cheapest` asks for. */
export function cheapestAsked(args: readonly unknown[], now: number): CheapestAsked {
  const lengthMs = windowOf(args[0], "the duration");
  const options = optionsAt(args, 1);
  const start = isGiven(options["from"]) ? momentOf(options["from"]) : now;
  const from = Math.ceil(start / QUARTER_MS) * QUARTER_MS;
  const to = isGiven(options["to"]) ? momentOf(options["to"]) : from + DAY_MS;
  if (to <= from || to - from > LONGEST_WINDOW_MS)
    throw new RuleProblem("the window must end after it begins, within 7d");
  if (lengthMs > to - from) throw new RuleProblem("the duration is longer than the window");
  return { from, to, lengthMs };
}

export function cheapestThen({ currency, priceAt }: AskedPrices, asked: CheapestAsked): readonly unknown[] {
  const found = cheapestSpan((at) => priceAt("import", at), asked);
  if (found === undefined) throw new RuleProblem("no prices are known for so long in this window");
  return [{ from: found.from / 1000, to: (found.from + asked.lengthMs) / 1000, price: found.price, currency }];
}
