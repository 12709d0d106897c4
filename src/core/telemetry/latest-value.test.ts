import { expect, test } from "vitest";
import { isLater, takesPlace } from "./latest-value.ts";

const HOUR = 3_600_000;
const NOW = 1_000_000 * HOUR;
const at = (hours: number) => NOW + hours * HOUR;

/** Hours from now. */
test.each([
  [-1, -2, true],
  [-2, -1, false],
  [0, 0, true],
  // A device that runs ahead is later than itself.
  [3, 2, true],
  [-1, 2, false],
  // A clock was three days ahead.
  [-1, 72, true],
  [72, -1, false],
  [2, 72, true],
  [73, 72, true],
])("a value of %s h is later than one of %s h: %s", (one, other, expected) => {
  expect(isLater(at(one), at(other), NOW)).toBe(expected);
});

test.each([
  [0, -1, true],
  [-1, 0, false],
  [0, 0, true],
  // The clock was set back by two hours, and the device goes on.
  [0, 2, true],
  // What a device that runs ahead sends late is still older.
  [-1, 2, false],
  [1, 2, false],
  // No right clock was three days ahead.
  [-1, 72, true],
])("an arriving value of %s h takes the place of one of %s h: %s", (one, other, expected) => {
  expect(takesPlace(at(one), at(other), NOW)).toBe(expected);
});
