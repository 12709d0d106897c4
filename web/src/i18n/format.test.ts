import { expect, test } from "vitest";
import { formatAge, formatClock, formatLength, formatNumber, formatTime, offsetAt, startOfDay } from "./format.ts";

test.each([
  [0, "0", "0"],
  [218.44, "218.4", "218,4"],
  [3.7249, "3.72", "3,72"],
  [-24.86, "−24.9", "−24,9"],
  [12345.6, "12,346", "12.346"],
  [1234.5, "1235", "1235"],
  [0.01234, "0.0123", "0,0123"],
  [64, "64", "64"],
  [-0.00000000000001, "0", "0"],
  [Number.NaN, "–", "–"],
  [-1.5e21, "−1,500,000,000,000,000,000,000", "−1.500.000.000.000.000.000.000"],
])("%d is written %s and %s", (value, en, de) => {
  expect([formatNumber(value, "en"), formatNumber(value, "de")]).toEqual([en, de]);
});

test.each([
  ["en", "en-GB"],
  ["de", "de-DE"],
] as const)("in %s, numbers of all sizes are written as Intl writes them", (locale, tag) => {
  for (let power = -4; power <= 11; power += 1) {
    for (const factor of [1, -1.234, 9.87654, -9.9996, 4.2]) {
      const value = factor * 10 ** power;
      for (const decimals of [0, 1, 3]) {
        const format = new Intl.NumberFormat(tag, { maximumFractionDigits: decimals, useGrouping: "min2" });
        const expected = format.format(value).replace("-", "−").replace(/^−0$/, "0");
        expect(formatNumber(value, locale, decimals)).toBe(expected);
      }
    }
  }
});

test.each([
  [0, "0 s"],
  [1400, "1.4 s"],
  [42_000, "42 s"],
  [72_000, "1 min 12 s"],
  [240_000, "4 min"],
  [4_320_000, "1 h 12 min"],
  [90_000_000, "1 d 1 h"],
])("%d ms are %s", (ms, text) => {
  expect(formatLength(ms, "en")).toBe(text);
});

test("ages are coarse", () => {
  expect([formatAge(900, "en"), formatAge(125_000, "en"), formatAge(2 * 86_400_000, "de")]).toEqual([
    "0 s ago",
    "2 min ago",
    "vor 2 Tagen",
  ]);
});

test.each([
  ["2026-11-16T03:00:00Z", "Europe/Berlin", "2026-11-15T23:00:00Z"],
  ["2026-11-15T22:30:00Z", "Europe/Berlin", "2026-11-14T23:00:00Z"],
  // Clocks go forward at 02:00 and back at 03:00: the day begins by the offset before.
  ["2026-03-29T12:00:00Z", "Europe/Berlin", "2026-03-28T23:00:00Z"],
  ["2026-10-25T12:00:00Z", "Europe/Berlin", "2026-10-24T22:00:00Z"],
  ["2026-11-16T03:00:00Z", "UTC", "2026-11-16T00:00:00Z"],
  ["2026-11-16T03:00:00Z", "Asia/Kolkata", "2026-11-15T18:30:00Z"],
  // Here midnight does not exist on the day when summer time begins.
  ["2026-04-24T12:00:00Z", "Africa/Cairo", "2026-04-23T22:00:00Z"],
])("at %s the day in %s began at %s", (at, zone, expected) => {
  expect(new Date(startOfDay(Date.parse(at), zone)).toISOString()).toBe(expected.replace("Z", ".000Z"));
});

test("a time is written in the time zone that is asked for", () => {
  const at = Date.parse("2026-11-16T13:05:09Z");
  expect(formatTime(at, "seconds", { locale: "en", zone: "Europe/Berlin", hours: "24h" })).toBe("14:05:09");
  expect(formatTime(at, "time", { locale: "de", zone: "UTC", hours: "24h" })).toBe("13:05");
  expect(formatTime(at, "time", { locale: "en", zone: "UTC", hours: "12h" })).toBe("01:05 pm");
  expect(offsetAt(at, "Asia/Kolkata")).toBe(19_800_000);
});

test.each([
  ["07:30", "07:30", "07:30 am"],
  [1_290, "21:30", "09:30 pm"],
  ["00:00", "00:00", "12:00 am"],
  ["24:00", "24:00", "12:00 am"],
  ["sunset-30m", "sunset-30m", "sunset-30m"],
])("the time of day %s is %s and %s", (time, full, half) => {
  const say = (hours: "24h" | "12h") => formatClock(time, { locale: "en", hours });
  expect([say("24h"), say("12h")]).toEqual([full, half]);
});
