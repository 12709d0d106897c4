import { expect, test } from "vitest";
import { acceptValues } from "./accept-values.ts";

const declared = new Map(
  [
    { id: "power", type: "float" as const, enum: undefined, aliases: ["p", "watts"] },
    { id: "mode", type: "string" as const, enum: undefined, aliases: [] },
    { id: "constructor", type: "integer" as const, enum: undefined, aliases: [] },
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
