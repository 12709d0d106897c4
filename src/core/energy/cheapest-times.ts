// When energy is cheapest within a time. Prices are those of quarters of an hour; what has no price is unknown.
import { QUARTER_MS } from "#core/time/hour.ts";

type PriceOf = (at: number) => number | undefined;

interface Span {
  readonly from: number;
  readonly to: number;
  readonly lengthMs: number;
}

/** The earliest of the cheapest spans that begin with a quarter of an hour. Every quarter of a span has a price. */
export function cheapestSpan(priceAt: PriceOf, { from, to, lengthMs }: Span) {
  const count = Math.ceil(lengthMs / QUARTER_MS);
  let best: { readonly from: number; readonly price: number } | undefined;
  for (let start = nextQuarter(from); start + lengthMs <= to; start += QUARTER_MS) {
    let sum = 0;
    for (let n = 0; n < count; n++) {
      const partMs = Math.min(QUARTER_MS, lengthMs - n * QUARTER_MS);
      sum += (priceAt(start + n * QUARTER_MS) ?? Number.NaN) * (partMs / lengthMs);
    }
    if (!Number.isNaN(sum) && (best === undefined || sum < best.price)) best = { from: start, price: sum };
  }
  return best;
}

interface Asked extends Span {
  /** Inside of the time. */
  readonly now: number;
}

/**
 * Whether now is among the cheapest quarters of the time, so many that they are as long as asked for. Of the same price the earlier
 * ones count. True and false hold whatever the missing prices are; otherwise it is unknown.
 */
export function isAmongCheapest(priceAt: PriceOf, { from, to, lengthMs, now }: Asked): boolean | undefined {
  const own = priceAt(now);
  const begin = lastQuarter(now);
  let [aheadMs, unknownMs] = [0, 0];
  for (let at = lastQuarter(from); at < to; at += QUARTER_MS) {
    if (at === begin) continue;
    const price = priceAt(at);
    const ms = Math.min(at + QUARTER_MS, to) - Math.max(at, from);
    if (price === undefined || own === undefined) unknownMs += ms;
    else if (price < own || (price === own && at < begin)) aheadMs += ms;
  }
  if (aheadMs >= lengthMs) return false;
  return aheadMs + unknownMs < lengthMs ? true : undefined;
}

/** Whether now is in the cheapest span of the time. While a price is missing, nobody knows which one that is. */
export function isInCheapestSpan(priceAt: PriceOf, { from, to, lengthMs, now }: Asked): boolean | undefined {
  if (lengthMs >= to - from) return true;
  for (let at = lastQuarter(from); at < to; at += QUARTER_MS) if (priceAt(at) === undefined) return undefined;
  const found = cheapestSpan(priceAt, { from, to, lengthMs });
  return found && found.from <= now && now < found.from + lengthMs;
}

const lastQuarter = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;
const nextQuarter = (at: number): number => Math.ceil(at / QUARTER_MS) * QUARTER_MS;
