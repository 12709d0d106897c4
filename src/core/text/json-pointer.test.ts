import { expect, test } from "vitest";
import { pointerTo, shortPointer } from "./json-pointer.ts";

const long = "x".repeat(101);

test.each([
  ["", ["a"], "/a"],
  ["/arguments", ["a/b~c"], "/arguments/a~1b~0c"],
  ["/arguments", [""], "/arguments/"],
  ["/arguments", [long], "/arguments"],
  ["", ["telemetry", long, "value"], "/telemetry"],
])("from %j over %j leads %j", (base, keys, pointer) => {
  expect(pointerTo(base, ...keys)).toBe(pointer);
});

test("a pointer that is too long names an object around its place", () => {
  expect(shortPointer(`/a/${"y".repeat(200)}/${"z".repeat(200)}`)).toBe(`/a/${"y".repeat(200)}`);
  expect(shortPointer(`/${"y".repeat(301)}`)).toBe("");
});
