import { expect, test } from "vitest";
import { monthsOf, readMonths } from "./months.ts";

test.each([
  [undefined, { from: 1, to: 12 }, undefined],
  [[7], { from: 7, to: 7 }, [7]],
  [[4, 5, 6], { from: 4, to: 6 }, [4, 5, 6]],
  [[1, 2, 11, 12], { from: 11, to: 2 }, [1, 2, 11, 12]],
  [[1, 3], "kept", [1, 3]],
  [[5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12], { from: 1, to: 12 }, [5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]],
] as const)("months %j are shown as %j and stay what they were", (months, shown, saved) => {
  expect(monthsOf(months)).toEqual(shown);
  expect(readMonths(monthsOf(months), months)).toEqual(saved);
});

test("a range over the new year has its months, and the whole year none", () => {
  expect(readMonths({ from: 10, to: 3 }, [7])).toEqual([10, 11, 12, 1, 2, 3]);
  expect(readMonths({ from: 1, to: 12 }, [7])).toBeUndefined();
  expect(readMonths({ from: 4, to: 3 }, undefined)).toBeUndefined();
});
