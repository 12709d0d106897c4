import fc from "fast-check";
import { expect, test } from "vitest";
import { addSum, addValue, type ExactSum, meanOf } from "./exact-sum.ts";

const start = (): ExactSum => ({ high: 0, low: 0 });
const sumOf = (values: readonly number[]): ExactSum => {
  const sum = start();
  for (const value of values) addValue(sum, value);
  return sum;
};
const reading = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1000),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((value) => value === 0 || Math.abs(value) > 1e-30),
);

/** The exact mean as a fraction of big integers, rounded to a double once. */
function naiveMean(values: readonly number[]): number {
  const scale = 2n ** 1074n;
  const total = values.reduce((sum, value) => sum + scaled(value), 0n);
  return roundedQuotient(total, BigInt(values.length) * scale);
}

function scaled(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const magnitude = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return bits >> 63n ? -magnitude : magnitude;
}

function roundedQuotient(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -roundedQuotient(-numerator, denominator);
  if (numerator === 0n) return 0;
  const shift = 80n + BigInt(denominator.toString(2).length) - BigInt(numerator.toString(2).length);
  const [above, below] = shift >= 0n ? [numerator << shift, denominator] : [numerator, denominator << -shift];
  // 80 significant bits, the last one set when anything is left: Number() then rounds as the exact value would.
  const quotient = above / below;
  return Number(above % below === 0n ? quotient : quotient | 1n) / 2 ** Number(shift);
}

test("the mean is the exact mean, rounded once", () => {
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1, maxLength: 300 }), (values) => {
      expect(meanOf(sumOf(values), values.length)).toBe(naiveMean(values));
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
