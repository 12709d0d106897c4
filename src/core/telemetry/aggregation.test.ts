import { expect, test } from "vitest";
import { canBeCarried, resolveAggregation } from "./aggregation.ts";

test.each([
  ["auto", "float", ["avg"]],
  ["auto", "boolean", ["last"]],
  ["auto", "string", ["last"]],
  ["min_max", "integer", ["min", "max"]],
  ["sum", "float", ["sum"]],
  ["sum", "string", []],
] as const)("%s of a %s attribute is %j", (asked, type, expected) => {
  expect(resolveAggregation(asked, type)).toEqual(expected);
});

test("a value may stand for later buckets, an amount of one bucket may not", () => {
  expect([canBeCarried("auto"), canBeCarried("last"), canBeCarried("delta")]).toEqual([true, true, false]);
});
