// What an integral needs of a part of a chunk instead of its points: when it begins and ends, its last value, and what its values
// give as long as each holds until the next one. What lies between two parts is computed when they are read.
//
// A part takes about 15 bytes, so there are only parts of quarters of an hour and of hours, where they have many points.
//
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { ScalableSum } from "#core/telemetry/exact-sum.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import type { Summary } from "./chunk.ts";
import type { Column } from "./column.ts";
import { HELD_MS } from "./query.ts";

export const QUARTER_MS = HOUR_MS / 4;

export const HELD_FIELDS = [
  "firstAt",
  "lastAt",
  "held",
  "heldRest",
  // 1 if no value is negative, -1 if none is positive, otherwise 0: only then the sums of both sorts of values are there.
  "sign",
  "above",
  "aboveRest",
  "below",
  "belowRest",
] as const;
export type HeldField = (typeof HELD_FIELDS)[number];

/** One value per part in each field. Sums are values times milliseconds. */
export type HeldParts = Readonly<Record<HeldField | "start" | "count" | "last", Float64Array>>;

/** A part with fewer points would cost a tenth of their bytes or more. */
const LEAST_POINTS = 300;
/** The sums of larger values might leave the range of a double. */
const LARGEST = 1e280;

/** Whether what the values give stays in the range of a double. */
export function isHoldable({ min, max }: Pick<Summary, "min" | "max">): boolean {
  return min >= -LARGEST && max <= LARGEST;
}

/** The length of the parts that integrals may use; 0 when there are none. */
export function heldGrainOf(
  { times, count }: Column,
  { min, max }: Pick<Summary, "min" | "max">,
  { span, grain }: { readonly span: number; readonly grain: number },
): number {
  if (grain === 0 || span <= HOUR_MS || !isHoldable({ min, max })) return 0;
  const length = itemAt(times, count - 1) - itemAt(times, 0);
  return [QUARTER_MS, HOUR_MS].find((one) => one > grain && count >= LEAST_POINTS * (length / one + 1)) ?? 0;
}

/**
 * The length of both sorts of parts as one number, as it is stored: chunks from before there were parts for integrals have the
 * length of the others alone.
 */
export function packGrain({ grain, held }: { readonly grain: number; readonly held: number }): number {
  return grain + (held === 0 ? 0 : held === HOUR_MS ? 1 : 2);
}

export function unpackGrain(packed: number): { readonly grain: number; readonly held: number } {
  const more = packed % 1_000;
  return { grain: packed - more, held: more === 1 ? HOUR_MS : more === 2 ? QUARTER_MS : 0 };
}

export function heldParts({ times, values, count }: Column, grain: number): HeldParts {
  const numbers = values as Float64Array;
  const most = Math.floor((itemAt(times, count - 1) - itemAt(times, 0)) / grain) + 2;
  const field = () => new Float64Array(most);
  const parts = {
    start: field(),
    count: field(),
    last: field(),
    firstAt: field(),
    lastAt: field(),
    held: field(),
    heldRest: field(),
    sign: field(),
    above: field(),
    aboveRest: field(),
    below: field(),
    belowRest: field(),
  };
  let part = 0;
  for (let from = 0; from < count; part++) {
    const start = Math.floor(itemAt(times, from) / grain) * grain;
    let to = from + 1;
    while (to < count && (times[to] ?? 0) < start + grain) to++;
    parts.start[part] = start;
    parts.count[part] = to - from;
    parts.last[part] = itemAt(numbers, to - 1);
    parts.firstAt[part] = itemAt(times, from);
    parts.lastAt[part] = itemAt(times, to - 1);
    const own = { times: times.subarray(from, to), values: numbers.subarray(from, to) };
    const sign = signOf(own.values);
    parts.sign[part] = sign;
    [parts.held[part], parts.heldRest[part]] = heldSum(own);
    if (sign === 0) {
      const only = (limit: (value: number, zero: number) => number) =>
        heldSum({ ...own, values: own.values.map((value) => limit(value, 0)) });
      [parts.above[part], parts.aboveRest[part]] = only(Math.max);
      [parts.below[part], parts.belowRest[part]] = only(Math.min);
    }
    from = to;
  }
  const whole = Object.entries(parts).map(([name, all]) => [name, all.subarray(0, part)]);
  return Object.fromEntries(whole) as HeldParts;
}

function signOf(values: Float64Array): number {
  let [hasAbove, hasBelow] = [false, false];
  for (const value of values) {
    if (value > 0) hasAbove = true;
    else if (value < 0) hasBelow = true;
  }
  return hasBelow ? (hasAbove ? 0 : -1) : 1;
}

function heldSum({ times, values }: { readonly times: Float64Array; readonly values: Float64Array }): [number, number] {
  const sum = new ScalableSum();
  sum.addHeld({ times, values, from: 0, to: values.length }, HELD_MS);
  const { high, low } = sum.exact();
  return [high, low];
}
