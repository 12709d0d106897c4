import { expect, test } from "vitest";
import { createJsonScan, jsonExcess } from "./json-excess.ts";

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

test.each([
  ['["abcd"]', undefined],
  ['["abcde"]', "with a text of more than 4 characters, from character 1 on"],
  ['{"a":"\\"\\""}', undefined],
  ['{"abcde":1}', "with a text of more than 4 characters, from character 1 on"],
  ['["never closed', "with a text of more than 4 characters, from character 1 on"],
])("with texts of 4 characters at most, %s is %s", (text, expected) => {
  expect(jsonExcess(text, { depth: 9, values: 9, text: 4 })).toBe(expected);
});

test.each([1, 2, 7, 70])("a scan in steps of %i characters finds what a scan in one step finds", (characters) => {
  const texts = [
    '{"a":["b\\"]]]",[{},[1,2]]]}',
    "[[[[1]]]]",
    `[1,${" ".repeat(200)}2,3,4,5,6,7]`,
    `["${"x".repeat(90)}",[[[[`,
  ];
  for (const text of texts) {
    const scan = createJsonScan(text, LIMITS);
    let found: string | undefined;
    while (!scan.isDone && found === undefined) found = scan.step(characters);
    expect(found).toBe(jsonExcess(text, LIMITS));
  }
});
