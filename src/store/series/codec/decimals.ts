// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { LIMIT } from "./blocks.ts";
import type { Factor } from "./read-integers.ts";

/** The first powers of ten; with more decimal places than these a number is not taken for a decimal. */
export const POWERS: readonly number[] = Array.from({ length: 16 }, (_, places) => 10 ** places);

export type Decimals = {
  /** value = integer / 10^places */
  readonly integers: Float64Array;
  readonly places: number;
  /** Whether only a division restores every value: see `factorOf`. */
  readonly divide: boolean;
  /** Positions of values that are no such decimals, in rising order; each of their integers repeats the one before. */
  readonly others: readonly number[];
};

/** Adding and then subtracting this rounds magnitudes below 2^51 to whole numbers. */
const ROUND = 3 * 2 ** 51;
const SAMPLE = 32;
/** What a listed value costs in bits, and what one more decimal place costs every other value. */
const OTHER_BITS = 80;
const PLACE_BITS = Math.log2(10);

/** Undefined when more than one in sixteen values is no decimal. */
export function findDecimals(values: Float64Array, count: number): Decimals | undefined {
  const integers = new Float64Array(count);
  let places = guessPlaces(values, count);
  while (places !== undefined) {
    const others = scale(values, integers, places);
    let needed = places;
    let strange = 0;
    for (const at of others) {
      const own = placesOf(itemAt(values, at));
      if (own === undefined) strange++;
      else if (own > needed) needed = own;
      if (strange > count / 16) return undefined;
    }
    const worthIt = (others.length - strange) * OTHER_BITS > (needed - places) * PLACE_BITS * count;
    if (!worthIt || needed === places) {
      return others.length > count / 16
        ? undefined
        : { integers, places, divide: mustDivide(integers, places), others };
    }
    places = needed;
  }
  return undefined;
}

/**
 * 10^-places in two parts, so that `n * high + n * low` is `n / 10^places` to the last bit for |n| < 2^31 and up to 5 places, without a
 * division (which costs small processors 10 ns). `high` has 22 bits, so `n * high` is exact, and the sum before its only rounding is
 * off by less than 2^-74; the quotient is never nearer than 2^-54 / 10^5 > 2^-71 to a border between two doubles.
 */
export function factorOf(places: number): Factor {
  const power = POWERS[places] ?? 1;
  const split = (2 ** 31 + 1) / power;
  const high = split - (split - 1 / power);
  return { high, low: (1 - high * power) / power };
}

function mustDivide(integers: Float64Array, places: number): boolean {
  if (places === 0 || places > 5) return places > 0;
  let largest = 0;
  for (let i = 0; i < integers.length; i++) largest = Math.max(largest, Math.abs(integers[i] ?? 0));
  return largest >= 2 ** 31;
}

/** The fewest decimal places that restore `value` exactly. */
export function placesOf(value: number): number | undefined {
  for (let places = 0; places < POWERS.length; places++) {
    const power = POWERS[places] ?? 1;
    const integer = value * power + ROUND - ROUND;
    if (Math.abs(value * power) < LIMIT - 1 && Object.is(integer / power, value)) return places;
  }
  return undefined;
}

/** The fewest places for nearly all of a sample. */
function guessPlaces(values: Float64Array, count: number): number | undefined {
  const found: number[] = [];
  const step = Math.max(1, count / SAMPLE);
  let seen = 0;
  for (let at = 0; at < count; at += step) {
    const places = placesOf(itemAt(values, Math.floor(at)));
    if (places !== undefined) found.push(places);
    seen++;
  }
  if (found.length < seen / 2) return undefined;
  found.sort((a, b) => a - b);
  return found[Math.floor((found.length - 1) * 0.95)];
}

/** Fills `integers` and returns the positions of the values that are no decimals of so many places. */
function scale(values: Float64Array, integers: Float64Array, places: number): number[] {
  const power = POWERS[places] ?? 1;
  const limit = LIMIT - 1;
  const others: number[] = [];
  let previous = 0;
  for (let i = 0; i < integers.length; i++) {
    const value = values[i] ?? 0;
    const scaled = value * power;
    const integer = scaled + ROUND - ROUND;
    if (integer / power === value && scaled < limit && scaled > -limit && (integer !== 0 || Object.is(value, 0))) {
      integers[i] = integer;
      previous = integer;
    } else {
      integers[i] = previous;
      others.push(i);
    }
  }
  return others;
}
