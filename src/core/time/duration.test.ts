import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

test.each([
  ["1ns", 1n],
  ["1us", 1_000n],
  ["1ms", 1_000_000n],
  ["1s", 1_000_000_000n],
  ["1m", 60_000_000_000n],
  ["1h", 3_600_000_000_000n],
  ["1d", 86_400_000_000_000n],
  ["1y", 31_536_000_000_000_000n],
  ["0s", 0n],
  ["1.5m", 90_000_000_000n],
  ["2h45m", 9_900_000_000_000n],
  ["2m30s", 150_000_000_000n],
  ["1m1m", 120_000_000_000n],
  ["0.1s", 100_000_000n],
  ["1.9ns", 1n],
  ["292y", 9_208_512_000_000_000_000n],
])("%s is %d nanoseconds", (text, nanoseconds) => {
  expect(parseDuration(text)).toBe(nanoseconds);
});

test.each([
  "",
  "1",
  "m",
  "1,5m",
  "1.m",
  ".5m",
  "-1s",
  "+1s",
  "1 s",
  " 1s",
  "1s ",
  "1M",
  "1min",
  "1µs",
  "1w",
  "1e3s",
  "1s2",
  "293y",
  `${"9".repeat(200)}s`,
])("[%s] is no duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
