import { expect, test } from "vitest";
import { findBend } from "../../bench/growth/bend.ts";

test.each([
  ["size", 0, "10=1 100=10 1000=100", "linear"],
  ["size", 0, "10=1 100=10 1000=160", "bends at 1000"],
  ["size", 0, "10=5 100=6 1000=15", "less than linear"],
  ["size", 5, "10=1 100=20 1000=100", "linear"],
  ["size", 0, "10=1 100=20 1000=100", "bends at 100"],
  ["nothing", 0, "10=1 100=1.2 1000=1.4", "flat"],
  ["nothing", 0, "10=1 100=1.2 1000=1.6", "bends at 1000"],
  ["nothing", 0, "10=9 100=1 1000=1.6", "bends at 1000"],
  ["nothing", 0.3, "10=1 100=1.2 1000=1.6", "flat"],
] as const)("what should grow with %s, with noise of %d: %s", (growsWith, noise, given, shape) => {
  const points = given.split(" ").map((one) => {
    const [size = Number.NaN, value = Number.NaN] = one.split("=").map(Number);
    return { size, value };
  });
  expect(findBend(points, { with: growsWith, noise }).shape).toBe(shape);
});

test("the ratio is that of a unit at the end to one at the beginning", () => {
  const points = [
    { size: 10, value: 20 },
    { size: 100, value: 400 },
  ];
  expect(findBend(points, { with: "size", noise: 0 }).ratio).toBe(2);
  expect(findBend(points, { with: "nothing", noise: 0 }).ratio).toBe(20);
});
