import { expect, test } from "vitest";
import { amountOf, millionths, multiplyDivide } from "./money.ts";

test.each([
  [250_000, 300_000, 75_000], // 250 Wh at 0.30
  [250_000, -20_000, -5_000],
  [1, 500_000, 1],
  [1, 499_999, 0],
  [1, -500_000, -1],
  [0, 300_000, 0],
  // Beyond what a double holds exactly.
  [2_500_000_000, 100_000_000_001, 250_000_000_002_500],
  [2_500_000_000, -100_000_000_001, -250_000_000_002_500],
])("%d mWh at %d cost %d", (energy, price, expected) => {
  expect(amountOf(energy, price)).toBe(expected);
});

test("parts of a charge add up to it", () => {
  for (const days of [28, 30, 31, 365, 366]) {
    let sum = 0;
    for (let day = 1; day <= days; day++) {
      sum += multiplyDivide(12_345_679, day, days) - multiplyDivide(12_345_679, day - 1, days);
    }
    expect(sum).toBe(12_345_679);
  }
});

test("decimals are read to the millionth", () => {
  expect([0.1, 0.289999, -0.0315, 1e-7, -1e-9].map(millionths)).toEqual([100_000, 289_999, -31_500, 0, 0]);
});
