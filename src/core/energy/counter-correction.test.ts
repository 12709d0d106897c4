import { expect, test } from "vitest";
import { adjustmentOf, newStartProblem } from "./counter-correction.ts";

test.each([
  ["accept", 90_000, undefined, 39_997, 0],
  ["value_wrong", 90_000, undefined, 39_997, -39_997],
  ["value_wrong", 20_000, undefined, 0, 0],
  ["counter_replaced", 90_000, 89_990, 39_997, -39_987],
  ["counter_replaced", 90_000, undefined, 39_997, -39_997],
  ["counter_replaced", 20_000, 19_990, 0, 10],
  ["counter_replaced", 20_000, undefined, 0, 0],
] as const)(
  "%s: a step to %s with the new start %s that counted %s is adjusted by %s",
  (kind, value, newStart, counted, expected) => {
    expect(adjustmentOf({ kind, value, newStart }, counted)).toBe(expected);
  },
);

test.each([
  ["counter_replaced", undefined, true],
  ["counter_replaced", 0, true],
  ["counter_replaced", 100, true],
  ["counter_replaced", 101, false],
  ["counter_replaced", -1, false],
  ["counter_replaced", Number.NaN, false],
  ["accept", undefined, true],
  ["accept", 0, false],
  ["value_wrong", 5, false],
] as const)("%s of a step to 100 with the new start %s: fine is %s", (kind, newStart, isFine) => {
  expect(newStartProblem(kind, newStart, 100) === undefined).toBe(isFine);
});
