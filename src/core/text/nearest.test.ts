import { expect, test } from "vitest";
import { nearestOf } from "./nearest.ts";

const KEYS = ["display_name", "description", "type", "unit", "units", "enum", "access_level", "W", "kW"];

test.each([
  ["displya_name", "display_name"],
  ["display-name", "display_name"],
  ["Display_Name", "display_name"],
  ["dispay_name", "display_name"],
  ["desciption", "description"],
  ["typ", "type"],
  ["tpye", "type"],
  ["uint", "unit"],
  ["acces_level", "access_level"],
  ["KW", "kW"],
])("%s was meant to be %s", (word, expected) => {
  expect(nearestOf(word, KEYS)).toBe(expected);
});

test.each(["", "x", "V", "banana", "constructor", "type".repeat(40)])("[%s] is near nothing", (word) => {
  expect(nearestOf(word, KEYS)).toBeUndefined();
});

test("the word itself is no suggestion", () => {
  expect(nearestOf("type", ["type"])).toBeUndefined();
});

test("words of up to 64 characters are compared", () => {
  const long = "a".repeat(64);
  expect(nearestOf(long, [`${long}b`])).toBe(`${long}b`);
  expect(nearestOf(`${long}b`, [long])).toBeUndefined();
});
