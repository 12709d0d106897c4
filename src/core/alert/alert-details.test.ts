import { expect, test } from "vitest";
import { parseAlertDetails } from "./alert-details.ts";
import { MAX_DETAILS_LENGTH } from "./alert-limits.ts";

const shown = (value: unknown) => {
  const { details, problem } = parseAlertDetails(value);
  return [Object.fromEntries(details), problem];
};

test.each([
  ["a text", { hot: "80 degrees" }, { hot: '"80 degrees"' }],
  ["an object", { hot: { cell: 7, near: [1, 2] } }, { hot: '{"cell":7,"near":[1,2]}' }],
  ["several", { a: "x", b: {} }, { a: '"x"', b: "{}" }],
  ["null takes details away", { hot: null }, { hot: undefined }],
  ["none", {}, {}],
  ["an empty table of a script", [], {}],
  ["empty tables of a script", { hot: [] }, { hot: "{}" }],
])("details may be %s", (_name, given, expected) => {
  expect(shown(given)).toEqual([expected, undefined]);
});

test.each([
  ["a list", ["x"], {}, "must be an object with a text or an object per alert id"],
  ["a text", "x", {}, "must be an object with a text or an object per alert id"],
  ["a number for an alert", { a: 1, b: "x" }, { b: '"x"' }, 'must have a text or an object for "a"'],
  ["no id", { "": "x", b: "x" }, { b: '"x"' }, "must have alert ids of 1 to 200 characters as keys"],
  [
    "too much",
    { a: "x".repeat(MAX_DETAILS_LENGTH), b: "x" },
    { b: '"x"' },
    'must have at most 4096 characters of JSON for "a"',
  ],
])("%s is left out, and the rest is kept", (_name, given, expected, problem) => {
  expect(shown(given)).toEqual([expected, problem]);
});
