import { expect, test } from "vitest";
import { isName, readValue, typeOf } from "./variable-view.ts";

test.each([
  ["number", "0,3", { value: 0.3 }],
  ["number", " −5 ", { value: -5 }],
  ["number", "1e3", { value: 1000 }],
  ["number", "", { problem: "wrongNumber" }],
  ["number", "1,000.5", { problem: "wrongNumber" }],
  ["number", "1e999", { problem: "wrongNumber" }],
  ["text", "", { problem: "wrongText" }],
  ["text", "x".repeat(1_001), { problem: "wrongText" }],
  ["text", "true", { value: "true" }],
  ["boolean", "true", { value: true }],
  ["boolean", "", { value: false }],
] as const)("a %s typed as %j is %j", (type, draft, read) => {
  expect(readValue(type, draft)).toEqual(read);
});

test("a value knows its kind, and a name its letters", () => {
  expect([1, "1", false].map(typeOf)).toEqual(["number", "text", "boolean"]);
  expect(["limit_2", "_x", "2x", "", "a b", "é", "a".repeat(65)].map(isName)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
