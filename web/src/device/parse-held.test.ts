import { expect, test } from "vitest";
import { parseHeld } from "./parse-held.ts";

test.each([
  ["float", "4.5", 4.5],
  ["float", "4,5", 4.5],
  ["float", "four", undefined],
  ["float", " ", undefined],
  ["integer", "4.5", undefined],
  ["integer", "-4", -4],
  ["boolean", "true", true],
  ["boolean", "yes", undefined],
  ["string", "", ""],
  ["array_of_strings", "a, b,", ["a", "b"]],
])("a %s typed as %j is %j", (type, text, expected) => {
  expect(parseHeld({ type, enum: undefined }, text)).toEqual(expected);
});

test("a value of an enum keeps its own type", () => {
  const values = [{ value: 1, displayName: "Day", description: undefined, color: undefined }];
  expect(parseHeld({ type: "integer", enum: values }, "1")).toBe(1);
});
