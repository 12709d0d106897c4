import { expect, test } from "vitest";
import { outcomeOf } from "./run-bulk.ts";

const none = { code: null, message: null };

test.each([
  [{ state: "SUCCESS", ...none }, "done", undefined],
  [{ state: "RUNNING", ...none }, "running", undefined],
  [{ state: "FAILED", code: "ERROR", message: "the inlet is closed" }, "failed", "the inlet is closed"],
  [{ state: "REFUSED", code: "forbidden", message: "no" }, "failed", "no"],
  [{ state: "SKIPPED", ...none }, "left", undefined],
] as const)("%j is %s", (device, state, text) => {
  expect(outcomeOf(device)).toEqual(text === undefined ? { state } : { state, text });
});

test("a device that did not answer may have done it", () => {
  expect(outcomeOf({ state: "FAILED", code: "TIMEOUT", message: null }).state).toBe("unsure");
  expect(outcomeOf({ state: "FAILED", code: "UNSYNC", message: null }).state).toBe("open");
});
