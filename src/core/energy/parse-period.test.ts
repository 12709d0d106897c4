import { expect, test } from "vitest";
import { nameOfPeriod, parsePeriod, periodBefore } from "./parse-period.ts";

const NOW = Date.parse("2026-03-29T23:30:00Z");

test.each([
  ["today", "Europe/Berlin", "2026-03-29T22:00 2026-03-30T22:00"],
  ["yesterday", "Europe/Berlin", "2026-03-28T23:00 2026-03-29T22:00"],
  ["today", "America/New_York", "2026-03-29T04:00 2026-03-30T04:00"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00 2026-10-25T23:00"],
  ["2026-03", "Europe/Berlin", "2026-02-28T23:00 2026-03-31T22:00"],
  ["2026-12", "Asia/Kolkata", "2026-11-30T18:30 2026-12-31T18:30"],
  ["2024", "Pacific/Kiritimati", "2023-12-31T10:00 2024-12-31T10:00"],
  // 29 March 2026 is a Sunday, and the week of its clock change has 167 hours.
  ["this_week", "America/New_York", "2026-03-23T04:00 2026-03-30T04:00"],
  ["2026-W13", "Europe/Berlin", "2026-03-22T23:00 2026-03-29T22:00"],
  ["2026-W01", "Europe/Berlin", "2025-12-28T23:00 2026-01-04T23:00"],
  ["2026-w53", "Europe/Berlin", "2026-12-27T23:00 2027-01-03T23:00"],
  ["this_month", "Europe/Berlin", "2026-02-28T23:00 2026-03-31T22:00"],
  ["this_year", "Asia/Kolkata", "2025-12-31T18:30 2026-12-31T18:30"],
  ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00 2018-11-05T02:00"],
])("%s in %s is %s", (text, timezone, expected) => {
  const { from = 0, to = 0 } = parsePeriod(text, timezone, NOW) ?? {};
  expect([from, to].map((at) => new Date(at).toISOString().slice(0, 16)).join(" ")).toBe(expected);
});

test.each([
  "",
  "now",
  "2026-13",
  "2026-02-30",
  "26",
  "2026-1",
  "2026-W00",
  "2025-W53",
  "2026-W54",
  "2026-W1",
  "2026-11-15T00:00:00Z",
])("%j is no period", (text) => {
  expect(parsePeriod(text, "Europe/Berlin", NOW)).toBeUndefined();
});

test("a day that a zone left out is no period", () => {
  expect(parsePeriod("2011-12-30", "Pacific/Apia", NOW)).toBeUndefined();
});

test.each(["2026-03-29", "2026-W01", "2026-W53", "2027-W01", "2026-W13", "2026-10", "2024"])(
  "%s is called so",
  (text) => {
    for (const timezone of ["Europe/Berlin", "Asia/Kathmandu", "Pacific/Kiritimati"]) {
      const period = parsePeriod(text, timezone, NOW);
      expect(period && nameOfPeriod(period, timezone)).toBe(text);
    }
  },
);

test.each([
  ["2026-03-30", "2026-05-01T00:00Z", "2026-03-28T23:00 2026-03-29T22:00 whole"],
  ["2026-W14", "2026-05-01T00:00Z", "2026-03-22T23:00 2026-03-29T22:00 whole"],
  ["2026-03", "2026-05-01T00:00Z", "2026-01-31T23:00 2026-02-28T23:00 whole"],
  // Noon by the clock, after 12 hours of the one day and 11 of the other.
  ["2026-03-30", "2026-03-30T10:00Z", "2026-03-28T23:00 2026-03-29T10:00 cut"],
  // February is shorter than what has passed of March.
  ["2026-03", "2026-03-30T10:00Z", "2026-01-31T23:00 2026-02-28T23:00 whole"],
  ["2026-03", "2026-03-10T11:00Z", "2026-01-31T23:00 2026-02-10T11:00 cut"],
])("before %s, read at %s, is %s", (text, now, expected) => {
  const period = parsePeriod(text, "Europe/Berlin", NOW);
  if (period === undefined) throw new Error("no period");
  const { from, to, isCut } = periodBefore(period, "Europe/Berlin", Date.parse(now));
  const times = [from, to].map((at) => new Date(at).toISOString().slice(0, 16));
  expect([...times, isCut ? "cut" : "whole"].join(" ")).toBe(expected);
});

test("before a range lies a range as long as what has passed of it", () => {
  const range = { kind: "range", from: 1_000, to: 5_000 } as Parameters<typeof periodBefore>[0];
  expect(periodBefore(range, "Europe/Berlin", 10_000)).toEqual({ from: -3_000, to: 1_000, isCut: false });
  expect(periodBefore(range, "Europe/Berlin", 2_000)).toEqual({ from: 0, to: 1_000, isCut: false });
});
