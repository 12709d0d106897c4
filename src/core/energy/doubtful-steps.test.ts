import { expect, test } from "vitest";
import { doubtfulSteps, isFalling, isSteep } from "./doubtful-steps.ts";

/** `0=5 10=6.5`: minutes and values. */
const points = (text: string) =>
  text.split(" ").map((point) => {
    const [minutes = 0, value = 0] = point.split("=").map(Number);
    return { at: minutes * 60_000, value };
  });

test.each([
  ["a counter that rises", "0=5 1=6.5 60=30", ""],
  ["a small dip", "0=50000.5 1=50000.4 2=50001.4", ""],
  ["a restart near zero", "0=50000 1=0.5", ""],
  ["a wrong value and the return from it", "0=50000 1=30000 2=50001", "fall 30000"],
  ["a counter that was replaced by a lower one", "0=50000 1=30000 2=30001", "fall 30000"],
  ["a jump beyond what can be", "0=100 1=9999 2=9999.5", "rise 9999"],
  ["much after a long gap", "0=100 6000=3000", ""],
])("%s: %s has the doubtful steps [%s]", (_, text, expected) => {
  const steps = doubtfulSteps({ maxPerHour: 30 }, points(text));
  expect(steps.map(({ kind, after }) => `${kind} ${after.value}`).join(", ")).toBe(expected);
});

test("an hour whose summary has nothing odd needs no look at its points", () => {
  const hour = (first: number, last: number, more = {}) => ({ at: 0, first, last, min: first, max: last, ...more });
  expect(isFalling(hour(10, 40), 10)).toBe(false);
  expect(isFalling(hour(10, 12, { min: 9 }), undefined)).toBe(true);
  expect(isFalling(hour(10, 12, { max: 13 }), undefined)).toBe(true);
  expect(isFalling(hour(10, 12), 11)).toBe(true);
});

test("a counter that runs at its most for a quarter of an hour is nothing special", () => {
  const rule = { maxPerHour: 30 };
  expect([isSteep(rule, 7.5), isSteep(rule, 7.6)]).toEqual([false, true]);
});
