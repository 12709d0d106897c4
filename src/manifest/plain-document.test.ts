import { expect, test } from "vitest";
import { rangeOfPointer, readPlainDocument, writePlainDocument } from "./plain-document.ts";

const TEXT = `kind: condition
when: { device: room, attribute: temperature, above: 40 }
limits:
  - device: electrolyser
    max: 60
`;

test("a document is read as it was written", () => {
  const value = { kind: "condition", limits: [{ device: "a", max: 60 }], names: ["yes", "1"] };
  expect(readPlainDocument(writePlainDocument(value), "interlock")).toEqual({ value, issues: [] });
});

test.each([
  ["/kind", 1, 7],
  ["/when/above", 2, 54],
  ["/limits/0/max", 5, 10],
  ["/limits/0/control", 4, 5],
  ["", 1, 1],
])("%s stands in line %i, column %i", (pointer, line, column) => {
  expect(rangeOfPointer(TEXT, pointer).start).toEqual({ line, column });
});

test.each([
  ["kind: [", "yaml_syntax"],
  ["a: 1\na: 2\n", "duplicate_key"],
  ["loads:\n  - { a: 1, a: 2 }\n", "duplicate_key"],
])("%j has no value and says why", (text, code) => {
  const { value, issues } = readPlainDocument(text, "interlock");
  expect(value).toBeUndefined();
  expect(issues.map((issue) => issue.code)).toContain(code);
});
