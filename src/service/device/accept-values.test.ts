import { expect, test } from "vitest";
import { acceptValues } from "./accept-values.ts";

const declared = new Map(
  [
    { id: "power", type: "float" as const, enum: undefined, aliases: ["p", "watts"], accessLevel: "readonly" as const },
    { id: "mode", type: "string" as const, enum: undefined, aliases: [], accessLevel: "readonly" as const },
    { id: "constructor", type: "integer" as const, enum: undefined, aliases: [], accessLevel: "readonly" as const },
  ].map((one) => [one.id, one]),
);
const accept = (values: object) => {
  const { accepted, refused } = acceptValues(declared, new Map(Object.entries(values)));
  return [[...accepted], [...refused.keys()]];
};

test("what is declared and fits is accepted under its id, also by an alias", () => {
  expect(accept({ p: 1, mode: "auto", constructor: 3 })).toEqual([
    [
      ["power", 1],
      ["mode", "auto"],
      ["constructor", 3],
    ],
    [],
  ]);
});

test("what is not declared or does not fit is refused under the name it came with, the rest is kept", () => {
  expect(accept({ watts: "much", mode: 5, toString: 1, color: 1, power: 2 })).toEqual([
    [["power", 2]],
    ["watts", "mode", "toString", "color"],
  ]);
});

test("null says nothing", () => {
  expect(accept({ power: null, mode: null })).toEqual([[], []]);
});

test.each([
  ["float", undefined, "canary", "must be a number, not a text"],
  ["float", undefined, true, "must be a number, not true or false"],
  ["integer", undefined, 8.46713, "must be a whole number, not such a number"],
  ["string", undefined, 8_467, "must be a text, not such a number"],
  ["string", ["on", "off"], "onn", "must be one of on, off, and is not"],
  ["array_of_strings", undefined, ["a", 8_467], "must be a list of texts, not a list"],
  ["boolean", undefined, { canary: 1 }, "must be true or false, not an object"],
] as const)("a %s of %j for vendors is refused without its value", (type, words, value, problem) => {
  const allowed = words?.map((word) => ({ value: word, displayName: word, description: "", color: undefined }));
  const secret = { id: "secret", type, enum: allowed as never, aliases: ["s"], accessLevel: "vendor" as const };
  const refused = (reader?: "vendor") =>
    acceptValues(new Map([["secret", secret]]), new Map([["s", value]]), reader).refused.get("s");
  expect(refused()).toBe(problem);
  if (typeof value !== "object") expect(refused("vendor")).toContain(String(value));
});
