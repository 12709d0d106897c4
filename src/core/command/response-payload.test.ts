import { expect, test } from "vitest";
import { withMessage, wrapPayload } from "./response-payload.ts";

const NONE = "the device reported an error without a message";

test.each([
  ["SUCCEEDED", undefined, undefined],
  ["SUCCEEDED", null, undefined],
  ["SUCCEEDED", { a: 1 }, { a: 1 }],
  ["SUCCEEDED", 0, { result: 0 }],
  ["SUCCEEDED", [], { result: [] }],
  ["ERROR", "hot", { message: "hot" }],
  ["ERROR", "", { message: NONE }],
  ["ERROR", [], { message: NONE }],
  ["ERROR", [1], { message: "[1]" }],
  ["ERROR", { code: 4 }, { code: 4 }],
])("of %s with %j the payload is %j", (state, sent, expected) => {
  expect(wrapPayload(state, sent)).toEqual(expected);
});

test.each([
  [undefined, NONE],
  [{}, NONE],
  [{ message: "hot", reason: "cold" }, "hot"],
  [{ message: "" }, ""],
  [{ message: 7 }, "7"],
  [{ message: null, error: "cold" }, "cold"],
  [{ reason: "", error: "cold" }, "cold"],
  [{ code: 4 }, '{"code":4}'],
  [{ code: "x".repeat(2_000) }, `{"code":"${"x".repeat(991)}`],
])("the message of an error with %j is %s", (payload, message) => {
  expect(withMessage(payload)).toEqual({ ...payload, message });
});
