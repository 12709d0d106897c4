import { expect, test } from "vitest";
import { chooseGranularity, hasBand } from "./granularity.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test.each([
  [60_000, 1000, "100ms"],
  [HOUR, 1000, "5s"],
  [HOUR, 300, "15s"],
  [DAY, 1000, "2m"],
  [DAY, 300, "5m"],
  [7 * DAY, 1000, "15m"],
  [30 * DAY, 1000, "1h"],
  [365 * DAY, 1000, "12h"],
  [5 * 365 * DAY, 1000, "1w"],
  [1, 1000, "10ms"],
])("%d ms on %d px have buckets of %s by themselves: at most one a pixel", (range, width, expected) => {
  expect(chooseGranularity("auto", range, width).name).toBe(expected);
});

test("what somebody chose holds, also by the calendar", () => {
  expect(chooseGranularity("1s", HOUR, 300).name).toBe("1s");
  expect(chooseGranularity("1M", DAY, 300)).toMatchObject({ name: "1M", isCalendar: true });
});

test("buckets that would give more than 100,000 points are made coarser", () => {
  expect(chooseGranularity("1s", 30 * DAY, 1000).name).toBe("30s");
  expect(chooseGranularity("1s", DAY, 1000).name).toBe("1s");
});

test("least and greatest are asked for when a bucket holds many values", () => {
  expect(hasBand(chooseGranularity("30s", HOUR, 1000))).toBe(false);
  expect(hasBand(chooseGranularity("1m", HOUR, 1000))).toBe(true);
});
