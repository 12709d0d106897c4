import { expect, test } from "vitest";
import { isMoving, moveRange, parseRange, previousShift, renderRange, resolveRange, zoomRange } from "./range.ts";

const at = (text: string) => Date.parse(text);
const NOW = at("2026-11-16T06:30:00Z");
const BERLIN = "Europe/Berlin";

test.each([
  ["1h", "2026-11-16T05:30:00Z/2026-11-16T06:30:00Z"],
  ["2w", "2026-11-02T06:30:00Z/2026-11-16T06:30:00Z"],
  ["today", "2026-11-15T23:00:00Z/2026-11-16T23:00:00Z"],
  ["yesterday", "2026-11-14T23:00:00Z/2026-11-15T23:00:00Z"],
  ["2026-11-14T00:00:00Z/2026-11-15T00:00:00Z", "2026-11-14T00:00:00Z/2026-11-15T00:00:00Z"],
])("%s is %s", (text, expected) => {
  expect(renderRange(resolveRange(text, NOW, BERLIN))).toBe(expected);
});

test("a day on which clocks change has 25 hours", () => {
  const { from, to } = resolveRange("today", at("2026-10-25T12:00:00Z"), BERLIN);
  expect((to - from) / 3_600_000).toBe(25);
});

test.each(["", "h", "0h", "tomorrow", "2026/2025", "2026-11-14T00:00:00Z", "99999w", "a/b"])(
  "%j is no range",
  (text) => {
    expect(parseRange(text)).toBeUndefined();
  },
);

test("ranges that end now move on", () => {
  expect(["1h", "today", "yesterday", "2026-11-14/2026-11-15"].map(isMoving)).toEqual([true, true, false, false]);
});

test("the period before is as long, by whole buckets, or the day before by the clock", () => {
  const hour = { from: NOW - 3_600_000, to: NOW };
  expect(previousShift("1h", hour, 5_000, BERLIN)).toBe(3_600_000);
  expect(previousShift("2026-11-14/2026-11-15", { from: 0, to: 3_601_000 }, 5_000, BERLIN)).toBe(3_605_000);
  // The day after the long one began 25 hours later.
  const monday = resolveRange("today", at("2026-10-26T12:00:00Z"), BERLIN);
  expect(previousShift("today", monday, 60_000, BERLIN) / 3_600_000).toBe(25);
});

test("a range moves and zooms around a moment, and not closer than a second", () => {
  expect(moveRange({ from: 0, to: 100_000 }, 0.5)).toEqual({ from: 50_000, to: 150_000 });
  expect(zoomRange({ from: 0, to: 100_000 }, 2)).toEqual({ from: -50_000, to: 150_000 });
  expect(zoomRange({ from: 0, to: 100_000 }, 0.5, 20_000)).toEqual({ from: 10_000, to: 60_000 });
  expect(zoomRange({ from: 0, to: 1_500 }, 0.1)).toEqual({ from: 250, to: 1_250 });
});
