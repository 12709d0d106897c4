import { expect, test } from "vitest";
import { pinchedRange } from "./pinch.ts";

const RANGE = { from: 0, to: 100_000 };

test.each([
  ["nothing", [20, 80], [20, 80], { from: 0, to: 100_000 }],
  ["moved to the right: earlier times appear", [20, 60], [30, 70], { from: -10_000, to: 90_000 }],
  ["spread: half of the time", [25, 75], [0, 100], { from: 25_000, to: 75_000 }],
  ["together: twice the time", [0, 100], [25, 75], { from: -50_000, to: 150_000 }],
  ["crossed fingers count by their distance", [75, 25], [0, 100], { from: 25_000, to: 75_000 }],
  ["fingers on one spot", [50, 50], [50, 50], { from: 0, to: 100_000 }],
] as const)("two fingers, %s", (_, before, after, expected) => {
  expect(pinchedRange(RANGE, before, after, 100)).toEqual(expected);
});

test("a chart never shows less than a second", () => {
  const { from, to } = pinchedRange({ from: 0, to: 2_000 }, [40, 64], [0, 100], 100);
  expect(to - from).toBe(1_000);
});
