import fc from "fast-check";
import { expect, test } from "vitest";
import { exactProducts, exactQuotient } from "../../../test/support/exact-quotient.ts";
import { addSum, addValue, type ExactSum, meanOf, ScalableSum } from "./exact-sum.ts";

const start = (): ExactSum => ({ high: 0, low: 0 });
const sumOf = (values: readonly number[]): ExactSum => {
  const sum = start();
  for (const value of values) addValue(sum, value);
  return sum;
};
/** Their sums take no more than the 106 bits that are kept: all are multiples of 2^-66, below 2^39. */
const reading = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1000),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((value) => value === 0 || Math.abs(value) >= 1e-4),
);

test("the mean is the exact mean, rounded once", () => {
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1, maxLength: 300 }), (values) => {
      expect(meanOf(sumOf(values), values.length)).toBe(exactQuotient(values, values.length));
    }),
    { numRuns: 500 },
  );
});

test("the mean does not depend on how the values are grouped", () => {
  fc.assert(
    fc.property(fc.array(fc.array(reading, { maxLength: 50 }), { minLength: 1, maxLength: 20 }), (groups) => {
      const values = groups.flat();
      if (values.length === 0) return;
      const total = start();
      for (const group of groups.toReversed()) addSum(total, sumOf(group));
      expect(meanOf(total, values.length)).toBe(meanOf(sumOf(values), values.length));
    }),
    { numRuns: 500 },
  );
});

test.each([
  [[0.1, 0.1, 0.1], 0.1],
  [[0.1, 0.2], 0.15],
  [[1e15, 0.1, -1e15, 0.1], 0.05],
])("the mean of %j is %d", (values, mean) => {
  expect(meanOf(sumOf(values), values.length)).toBeCloseTo(mean, 15);
});

const MAX = Number.MAX_VALUE;

test.each([
  [[MAX, MAX]],
  [[MAX, MAX, MAX, MAX, MAX]],
  [[-MAX, -MAX, -1e308]],
  [[MAX, MAX, -MAX]],
  [[1.5e308, 1e308, -1.5e308, -1e308, 3e307]],
  [[5e307, 5e307]],
  [[MAX, 1]],
])("the mean of %j is finite and right, and the sum as near as a double can be", (values) => {
  for (let cut = 0; cut <= values.length; cut++) {
    const sum = new ScalableSum();
    sum.addValues(Float64Array.from(values), 0, cut);
    for (const value of values.slice(cut)) sum.addPair(value, 0);
    expect(sum.mean(values.length)).toBe(exactQuotient(values, values.length));
    expect(sum.total()).toBe(exactQuotient(values, 1));
    sum.clear();
    sum.addPair(1, 0);
    expect([sum.mean(1), sum.total()]).toEqual([1, 1]);
  }
});

test.each([
  ["small sums", [1e16, 0.1, -3], [0.5, 1e-20, -1e-17]],
  ["sums that leave the range of a double on the way and come back", [1.5e308, 1.5e308, -1.7e308], [1e291, 2, -1e290]],
  ["sums that stay beyond it", [1e308, 1e308, 1.7e308], [0, 0, 0]],
])("%s are added together like one by one", (_, highs, lows) => {
  const [one, all] = [new ScalableSum(), new ScalableSum()];
  for (const sum of [one, all]) sum.addPair(0.25, 1e-18);
  for (const [i, high] of highs.entries()) one.addPair(high, lows[i] ?? 0);
  all.addPairs({ highs: Float64Array.from(highs), lows: Float64Array.from(lows), from: 0, to: highs.length });
  expect([all.total(), all.mean(7)]).toEqual([one.total(), one.mean(7)]);
});

test("values that hold until the next one are summed exactly, one by one and at once", () => {
  const steps = fc.array(fc.tuple(reading, fc.integer({ min: 1, max: 100_000 })), { minLength: 2, maxLength: 100 });
  fc.assert(
    fc.property(steps, (points) => {
      let at = 1.7e12;
      const times = Float64Array.from(points, ([, step]) => (at += step));
      const values = Float64Array.from(points, ([value]) => value);
      const pairs = points.slice(0, -1).map(([value], i) => [value, (times[i + 1] ?? 0) - (times[i] ?? 0)] as const);
      const held = pairs.filter(([, length]) => length <= 50_000);
      const [atOnce, oneByOne] = [new ScalableSum(), new ScalableSum()];
      const isAny = atOnce.addHeld({ times, values, from: 0, to: points.length }, 50_000);
      for (const [value, length] of held) oneByOne.addProduct(value, length);
      const expected = exactProducts(held, 3_600_000);
      expect([isAny, atOnce.mean(3_600_000), oneByOne.mean(3_600_000)]).toEqual([held.length > 0, expected, expected]);
    }),
    { numRuns: 300 },
  );
});

test.each([
  [[1e308, 1e308, -1e308], 5e307],
  [[1.7e308, -1.7e308, 5], 0],
  [[4e307, 4e307, 4e307], 6e307],
])("values near the end of a double's range that hold for half an hour each, %j, give no NaN", (given, expected) => {
  const values = Float64Array.of(...given, 0);
  const times = values.map((_, i) => i * 1_800_000);
  const sum = new ScalableSum();
  sum.addHeld({ times, values, from: 0, to: values.length }, 1_800_000);
  const found = sum.mean(3_600_000);
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12 + 1e300);
});
