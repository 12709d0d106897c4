import { expect, test } from "vitest";
import { shownValue } from "./shown-value.ts";

test.each([
  ["array_of_strings", '["a","b"]', ["a", "b"]],
  ["alerts", "[]", []],
  ["string", '["a"]', '["a"]'],
  ["float", 1.5, 1.5],
  ["boolean", false, false],
  // Stored while the attribute had another type.
  ["alerts", "fault", undefined],
  ["array_of_strings", "null", undefined],
  ["array_of_strings", '{"a":1}', undefined],
  ["array_of_strings", 5, undefined],
] as const)("a value of type %s that is stored as %j is shown as %j", (type, stored, shown) => {
  expect(shownValue(type, stored)).toEqual(shown);
});
