import { expect, test } from "vitest";
import type { JsonValue } from "#core/blueprint/blueprint.ts";
import { countInOrder, describeExpected, type ExpectedValue, isExpected } from "./expected-value.ts";

const equals = (value: JsonValue, isExact = false): ExpectedValue => ({ kind: "equals", value, isExact });

test.each<readonly [ExpectedValue, unknown, boolean]>([
  [equals(51.2), Math.fround(51.2), true],
  [equals(51.2, true), Math.fround(51.2), false],
  [equals(1_000_000), 1_000_001, false],
  [equals(5), 5, true],
  [equals(5), "5", false],
  [equals([1, "a"]), [1, "a"], true],
  [equals([1]), [1, 2], false],
  [equals({ a: 1 }), { a: 1 }, true],
  [equals({ a: 1 }), { a: 1, b: 2 }, false],
  [equals({ constructor: 1 }), {}, false],
  [equals(null), null, true],
  [{ kind: "approx", value: 50, tolerance: 0.5 }, 50.5, true],
  [{ kind: "approx", value: 50, tolerance: 0.5 }, 50.6, false],
  [{ kind: "approx", value: 50, tolerance: 0.5 }, Number.NaN, false],
  [{ kind: "range", min: 1, max: undefined }, 1, true],
  [{ kind: "range", min: 1, max: 2 }, 3, false],
  [{ kind: "oneOf", values: ["a", "b"] }, "b", true],
  [{ kind: "contains", text: "lost" }, "connection lost", true],
  [{ kind: "matches", pattern: "^\\d+$" }, "12", true],
  [{ kind: "matches", pattern: "^\\d+$" }, 12, false],
  [{ kind: "present" }, false, true],
  [{ kind: "absent" }, 1, false],
])("%j and %j: %s", (expected, value, isMet) => {
  expect(isExpected(expected, value)).toBe(isMet);
});

test("a large integer of Lua is the same number", () => {
  expect(isExpected(equals(5), 5n)).toBe(true);
  expect(isExpected(equals(5), 6n)).toBe(false);
});

test.each<readonly [ExpectedValue, string]>([
  [equals("x"), '"x"'],
  [{ kind: "approx", value: 50, tolerance: 0.5 }, "about 50 (±0.5)"],
  [{ kind: "range", min: 1, max: 2 }, "1 to 2"],
  [{ kind: "range", min: undefined, max: 2 }, "at most 2"],
  [{ kind: "inOrder", values: ["a", "b"] }, '"a", then "b"'],
  [{ kind: "absent" }, "nothing"],
])("%j is described as %s", (expected, words) => {
  expect(describeExpected(expected)).toBe(words);
});

test("values in order may have others between them", () => {
  const same = (one: number, value: number) => one === value;
  expect(countInOrder([1, 2, 3], [1, 9, 2, 2, 3], same)).toBe(3);
  expect(countInOrder([1, 2, 3], [2, 1, 3], same)).toBe(1);
});
