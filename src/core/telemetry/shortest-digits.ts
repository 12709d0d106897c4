// The digits that String() shows of a number, found by arithmetic instead of a string: the fewest that name the double, and of
// those the nearest. Says no where it is not sure; then String() has to do it.
import { productError } from "./exact-sum.ts";

/** A whole part, then `places` decimals: those of high * 10^9 + low with zeros before them, perhaps with some behind. */
export interface Digits {
  whole: number;
  places: number;
  high: number;
  low: number;
}

const SMALLEST = 1e-3;
const LARGEST = 1e12;
const BILLION = 1e9;
/** Exact doubles. */
const TENS = Float64Array.from({ length: 23 }, (_, places) => Number(`1e${places}`));
/** 2^-64 and up: half the distance to the next double is 2^-53 of the power of two below. */
const HALF_STEPS = Float64Array.from({ length: 64 }, (_, i) => 2 ** (i - 64));
/** Nearer than this to a border it is not sure on which side a value lies. */
const DOUBT = 1e-6;

const bits = new Uint32Array(2);
const number = new Float64Array(bits.buffer);
const HIGH_WORD = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** Fills `digits` for a value that is neither whole nor a power of two. */
export function findDigits(value: number, digits: Digits): boolean {
  if (!(value >= SMALLEST && value < LARGEST)) return false;
  number[0] = value;
  const exponent = ((bits[HIGH_WORD] ?? 0) >>> 20) - 1023;
  const halfStep = HALF_STEPS[exponent - 53 + 64] ?? 0;
  digits.whole = Math.floor(value);
  const fraction = value - digits.whole;
  let places = 15;
  for (let ten = 1; value >= ten; ten *= 10) places--;
  for (let tenth = 0.1; value < tenth; tenth /= 10) places++;
  // No two decimals of 15 digits name the same double, so there the nearest one is the one. With 17 there is always one.
  for (let more = 0; more <= 2; more++) {
    const found = nearest(
      digits,
      { fraction, halfStep: more < 2 ? halfStep : Number.POSITIVE_INFINITY },
      places + more,
    );
    if (found !== "no") return found === "yes";
  }
  return false;
}

interface Target {
  readonly fraction: number;
  readonly halfStep: number;
}

/** The nearest decimal of so many places, if it names the same double. */
function nearest(digits: Digits, { fraction, halfStep }: Target, places: number): "yes" | "no" | "unsure" {
  const power = TENS[places] ?? 0;
  const product = fraction * power;
  const error = productError(fraction, power, product);
  const floor = Math.floor(product);
  const rest = product - floor + error;
  const up = Math.floor(rest + 0.5);
  const distance = Math.abs(rest - up);
  const reach = halfStep * power;
  if (distance > 0.5 - DOUBT || Math.abs(distance - reach) < DOUBT) return "unsure";
  if (distance > reach) return "no";
  digits.high = Math.floor(floor / BILLION);
  digits.low = floor - digits.high * BILLION + up;
  if (digits.low < 0) {
    digits.low += BILLION;
    digits.high--;
  } else if (digits.low >= BILLION) {
    digits.low -= BILLION;
    digits.high++;
  }
  digits.places = places;
  return floor + up < power ? "yes" : "unsure";
}
