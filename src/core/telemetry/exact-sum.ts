// Sums that do not depend on the order or grouping of the terms: a double-double keeps what a double would round off.
// So an average over summaries equals the average over the points, to the last digit. It keeps 106 bits: terms that are
// 10^31 times smaller than the largest partial sum are lost.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

/** The value is high + low; both are doubles. */
export interface ExactSum {
  high: number;
  low: number;
}

export function addValue(sum: ExactSum, value: number): void {
  const total = sum.high + value;
  const rest = total - sum.high;
  const error = sum.high - (total - rest) + (value - rest);
  const low = sum.low + error;
  const high = total + low;
  sum.low = low - (high - total);
  sum.high = high;
}

/** Adds values[from] to values[to - 1]. Two sums at a time, because each addition has to wait for the one before. */
export function addValues(sum: ExactSum, values: Float64Array, { from, to }: { from: number; to: number }): void {
  let [highA, lowA, highB, lowB] = [0, 0, 0, 0];
  let i = from;
  for (; i + 1 < to; i += 2) {
    const a = values[i] ?? 0;
    const b = values[i + 1] ?? 0;
    const totalA = highA + a;
    const totalB = highB + b;
    const restA = totalA - highA;
    const restB = totalB - highB;
    lowA += highA - (totalA - restA) + (a - restA);
    lowB += highB - (totalB - restB) + (b - restB);
    highA = totalA;
    highB = totalB;
  }
  addValue(sum, highA);
  addValue(sum, highB);
  if (i < to) addValue(sum, values[i] ?? 0);
  addValue(sum, lowA);
  addValue(sum, lowB);
}

/** Adds highs[i] and lows[i] for each i from `from` to `to - 1`, like `addValue` one by one. */
function addPairs(sum: ExactSum, { highs, lows, from, to }: Pairs): void {
  let { high, low } = sum;
  for (let i = from; i < to; i++) {
    for (let half = 0; half < 2; half++) {
      const value = (half === 0 ? highs[i] : lows[i]) ?? 0;
      const total = high + value;
      const rest = total - high;
      low += high - (total - rest) + (value - rest);
      high = total + low;
      low -= high - total;
    }
  }
  sum.high = high;
  sum.low = low;
}

/** Sums: each is highs[i] + lows[i]. */
interface Pairs {
  readonly highs: Float64Array;
  readonly lows: Float64Array;
  readonly from: number;
  readonly to: number;
}

/** Values with their times, of which those from one index to before another are meant. */
interface HeldValues {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly from: number;
  readonly to: number;
}

export function addSum(sum: ExactSum, other: Readonly<ExactSum>): void {
  addValue(sum, other.high);
  addValue(sum, other.low);
}

/** A power of two, so that scaling by it rounds nothing. */
const SCALE = 2 ** 64;
/** From here on the products of `productError` would leave the range of a double. */
const LARGE = 2 ** 990;

/** A sum that goes on beyond the range of a double: from there on it is kept divided by SCALE. */
export class ScalableSum {
  readonly #sum: ExactSum = { high: 0, low: 0 };
  #isScaled = false;

  clear(): void {
    this.#sum.high = 0;
    this.#sum.low = 0;
    this.#isScaled = false;
  }

  /** Adds values[from] to values[to - 1]. */
  addValues(values: Float64Array, from: number, to: number): void {
    const sum = this.#sum;
    const { high, low } = sum;
    if (!this.#isScaled) {
      if (to - from === 1) addValue(sum, values[from] ?? 0);
      else addValues(sum, values, { from, to });
      if (Number.isFinite(sum.high)) return;
      this.#scale(high, low);
    }
    for (let i = from; i < to; i++) addValue(sum, (values[i] ?? 0) / SCALE);
  }

  /** Adds high + low. */
  addPair(high: number, low: number): void {
    const sum = this.#sum;
    const { high: highBefore, low: lowBefore } = sum;
    if (!this.#isScaled) {
      addValue(sum, high);
      addValue(sum, low);
      if (Number.isFinite(sum.high)) return;
      this.#scale(highBefore, lowBefore);
    }
    addValue(sum, high / SCALE);
    addValue(sum, low / SCALE);
  }

  /** The same for many. */
  addPairs(pairs: Pairs): void {
    const sum = this.#sum;
    const { high, low } = sum;
    if (!this.#isScaled) {
      addPairs(sum, pairs);
      if (Number.isFinite(sum.high)) return;
      sum.high = high;
      sum.low = low;
    }
    const { highs, lows, from, to } = pairs;
    for (let i = from; i < to; i++) this.addPair(highs[i] ?? 0, lows[i] ?? 0);
  }

  /** Adds value * factor. The factor is below 2^33, so that the product of a value that is not large is finite. */
  addProduct(value: number, factor: number): void {
    // The parts of a larger value could leave the range of a double.
    if (Math.abs(value) > LARGE) {
      if (!this.#isScaled) this.#scale(this.#sum.high, this.#sum.low);
      addValue(this.#sum, (value / SCALE) * factor);
      return;
    }
    const product = value * factor;
    this.addPair(product, productError(value, factor, product));
  }

  /**
   * Adds each of values[from] to values[to - 2] times the time until the next one, unless that is longer than `longest`,
   * which is below 2^26. Returns whether any was added.
   */
  addHeld({ times, values, from, to }: HeldValues, longest: number): boolean {
    if (this.#isScaled) return this.#addHeldSlowly({ times, values, from, to }, longest);
    let { high, low } = this.#sum;
    let isAny = false;
    for (let i = from; i + 1 < to; i++) {
      const length = (times[i + 1] ?? 0) - (times[i] ?? 0);
      if (length > longest) continue;
      isAny = true;
      const value = values[i] ?? 0;
      // Each half has so few digits that its product is exact.
      const big = SPLIT * value;
      const upper = big - (big - value);
      const first = upper * length;
      const second = (value - upper) * length;
      const total = high + first;
      const rest = total - high;
      low += high - (total - rest) + (first - rest);
      const total2 = total + second;
      const rest2 = total2 - total;
      low += total - (total2 - rest2) + (second - rest2);
      high = total2 + low;
      low -= high - total2;
    }
    if (!Number.isFinite(high)) return this.#addHeldSlowly({ times, values, from, to }, longest);
    this.#sum.high = high;
    this.#sum.low = low;
    return isAny;
  }

  #addHeldSlowly({ times, values, from, to }: HeldValues, longest: number): boolean {
    let isAny = false;
    for (let i = from; i + 1 < to; i++) {
      const length = (times[i + 1] ?? 0) - (times[i] ?? 0);
      if (length > longest) continue;
      isAny = true;
      this.addProduct(values[i] ?? 0, length);
    }
    return isAny;
  }

  /** The sum itself, of terms that are far from the range of a double. */
  exact(): Readonly<ExactSum> {
    return this.#sum;
  }

  /** Infinite where no double is large enough. */
  total(): number {
    return this.#isScaled ? this.#sum.high * SCALE : this.#sum.high;
  }

  /** Of `count` values. */
  mean(count: number): number {
    if (this.#isScaled) return meanOf(this.#sum, count) * SCALE;
    return count === 1 ? this.#sum.high : meanOf(this.#sum, count);
  }

  #scale(high: number, low: number): void {
    this.#isScaled = true;
    this.#sum.high = high / SCALE;
    this.#sum.low = low / SCALE;
  }
}

/** The mean of `count` values, rounded once. */
export function meanOf({ high, low }: Readonly<ExactSum>, count: number): number {
  if (Math.abs(high) > LARGE) return meanOf({ high: high / SCALE, low: low / SCALE }, count) * SCALE;
  const quotient = high / count;
  // The remainder of the division is exact up to the rounding of its product, which splitting makes exact too.
  const product = quotient * count;
  const error = productError(quotient, count, product);
  return quotient + (high - product - error + low) / count;
}

const SPLIT = 134_217_729; // 2^27 + 1

/** What a * b is more than its rounded product. */
function productError(a: number, b: number, product: number): number {
  const bigA = SPLIT * a;
  const highA = bigA - (bigA - a);
  const lowA = a - highA;
  const bigB = SPLIT * b;
  const highB = bigB - (bigB - b);
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}
