import { expect, test } from "vitest";
import type { ValueType } from "#core/blueprint/blueprint.ts";
import { typeValue } from "./type-value.ts";

test.each<[ValueType, string, unknown]>([
  ["integer", "5", 5],
  ["integer", "-5", -5],
  ["integer", "1e3", 1000],
  ["integer", "5.5", 5.5],
  ["integer", "five", "five"],
  ["integer", "0x10", "0x10"],
  ["integer", "", ""],
  ["float", "1.5", 1.5],
  ["float", ".5", 0.5],
  ["float", "+2", 2],
  ["float", "1,5", "1,5"],
  ["float", "NaN", "NaN"],
  ["boolean", "true", true],
  ["boolean", "Off", false],
  ["boolean", "maybe", "maybe"],
  ["string", "5", "5"],
  ["string", "", ""],
  ["array_of_strings", "a, b", ["a", "b"]],
  ["array_of_strings", '["a,b"]', ["a,b"]],
  ["array_of_strings", "", []],
  ["array_of_strings", "[a", ["[a"]],
  ["json", '{"a":[1]}', { a: [1] }],
  ["json", "null", null],
  ["json", "plain", undefined],
])("as %s the text %j is %j", (type, text, expected) => {
  expect(typeValue(type, text)).toEqual(expected);
});
