import { expect, test } from "vitest";
import { jsonExcess } from "./json-excess.ts";

const LIMITS = { depth: 3, values: 6 };

test.each([
  ["", undefined],
  ["[[[1]]]", undefined],
  ['{"a":{"b":{}}}', undefined],
  ["[[[[1]]]]", "nested more than 3 levels deep, from character 3 on"],
  ['{"a":[{"b":[', "nested more than 3 levels deep, from character 11 on"],
  ["[[],[],[],[", "of more than 6 values, from character 7 on"],
  ["[1,2,3,4,5]", undefined],
  ["[1,2,3,4,5,6]", "of more than 6 values, from character 10 on"],
  ['["[[[[,,,,,,,,{{{{"]', undefined],
  ['["\\"[[[[,,,,,,,"]', undefined],
  ['["never closed [[[[,,,,,,', undefined],
  ["]]]][[[", undefined],
  ['["\\\\",[[[1]]]]', "nested more than 3 levels deep, from character 8 on"],
  [
    `[${" ".repeat(100)}[[${" ".repeat(64)}1,${"2".repeat(65)}[`,
    "nested more than 3 levels deep, from character 234 on",
  ],
  [`["${",".repeat(100)}\\",${" ".repeat(200)}`, undefined],
  [`["${"x".repeat(100)}\\"${"[".repeat(100)}",1,2,3,4,5,6`, "of more than 6 values, from character 213 on"],
])("%s is %s", (text, expected) => {
  expect(jsonExcess(text, LIMITS)).toBe(expected);
});
