import fc from "fast-check";
import { expect, test } from "vitest";
import { type Duration, parseDuration } from "./duration.ts";
import { formatDuration } from "./format-duration.ts";

test.each([
  ["0s", "0s"],
  ["90s", "1m30s"],
  ["2h45m", "2h45m"],
  ["1.5ms", "1ms500us"],
  ["36h", "1d12h"],
  ["1y", "365d"],
])("%s is written %s", (given, expected) => {
  const duration = parseDuration(given);
  expect(duration === undefined ? undefined : formatDuration(duration)).toBe(expected);
});

test("what is written reads as the same length", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 63n - 1n), (nanoseconds) => {
      expect(parseDuration(formatDuration(nanoseconds as Duration))).toBe(nanoseconds);
    }),
  );
});
