import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type CalendarUnit, calendarGrid, localOffsets, SHORTEST_MS } from "./calendar.ts";

const HOUR = 3_600_000;
const iso = (at: number) => new Date(at).toISOString().replace(/:00\.000Z$/, "Z");

/** Starts of so many buckets from a moment on, with the hours that each is long. */
function buckets(unit: CalendarUnit, timezone: string, from: string, count: number): string {
  const grid = calendarGrid({ unit, timezone });
  const found: string[] = [];
  let at = Date.parse(from);
  for (let i = 0; i < count; i++) {
    const { start, end } = grid.bucketAt(at);
    found.push(`${iso(start)} ${(end - start) / HOUR}`);
    at = end;
  }
  return found.join(", ");
}

test.each<[string, CalendarUnit, string, string, number, string]>([
  [
    "a day of 23 hours",
    "day",
    "Europe/Berlin",
    "2026-03-28T12:00Z",
    3,
    "2026-03-27T23:00Z 24, 2026-03-28T23:00Z 23, 2026-03-29T22:00Z 24",
  ],
  ["a day of 25 hours", "day", "Europe/Berlin", "2026-10-25T23:30Z", 1, "2026-10-25T23:00Z 24"],
  ["the 25th itself", "day", "Europe/Berlin", "2026-10-25T10:00Z", 1, "2026-10-24T22:00Z 25"],
  ["west of UTC", "day", "America/New_York", "2026-03-08T05:00Z", 2, "2026-03-08T05:00Z 23, 2026-03-09T04:00Z 24"],
  ["an offset of half an hour", "day", "Asia/Kolkata", "2026-11-16T00:00Z", 1, "2026-11-15T18:30Z 24"],
  [
    "a change by half an hour",
    "day",
    "Australia/Lord_Howe",
    "2026-04-04T20:00Z",
    2,
    "2026-04-04T13:00Z 24.5, 2026-04-05T13:30Z 24",
  ],
  ["and back", "day", "Australia/Lord_Howe", "2026-10-03T20:00Z", 1, "2026-10-03T13:30Z 23.5"],
  [
    "midnight that is left out",
    "day",
    "America/Sao_Paulo",
    "2018-11-03T12:00Z",
    2,
    "2018-11-03T03:00Z 24, 2018-11-04T03:00Z 23",
  ],
  [
    "clocks put back at midnight",
    "day",
    "America/Sao_Paulo",
    "2018-02-17T12:00Z",
    2,
    "2018-02-17T02:00Z 25, 2018-02-18T03:00Z 24",
  ],
  ["midnight that comes twice", "day", "America/Havana", "2026-11-01T12:00Z", 1, "2026-11-01T04:00Z 25"],
  [
    "clocks put back a minute past midnight",
    "day",
    "America/St_Johns",
    "2010-11-06T12:00Z",
    2,
    "2010-11-06T02:30Z 24, 2010-11-07T02:30Z 25",
  ],
  [
    "a day that is left out",
    "day",
    "Pacific/Apia",
    "2011-12-29T12:00Z",
    2,
    "2011-12-29T10:00Z 24, 2011-12-30T10:00Z 24",
  ],
  [
    "weeks begin on Monday",
    "week",
    "Europe/Berlin",
    "2026-03-29T21:59Z",
    2,
    "2026-03-22T23:00Z 167, 2026-03-29T22:00Z 168",
  ],
  ["a week without its Friday", "week", "Pacific/Apia", "2011-12-28T12:00Z", 1, "2011-12-26T10:00Z 144"],
  ["months", "month", "Europe/Berlin", "2026-02-10T00:00Z", 2, "2026-01-31T23:00Z 672, 2026-02-28T23:00Z 743"],
  ["a month without its last day but one", "month", "Pacific/Apia", "2011-12-28T12:00Z", 1, "2011-12-01T10:00Z 720"],
  ["years", "year", "Europe/Berlin", "2024-07-01T00:00Z", 2, "2023-12-31T23:00Z 8784, 2024-12-31T23:00Z 8760"],
  ["long before standard time", "day", "Europe/Berlin", "1850-06-01T12:00Z", 1, "1850-05-31T23:06:32.000Z 24"],
])("%s: %s buckets of %s from %s", (_, unit, timezone, from, count, expected) => {
  expect(buckets(unit, timezone, from, count)).toBe(expected);
});

describe.each([
  "Europe/Berlin",
  "America/St_Johns",
  "Pacific/Apia",
  "America/Sao_Paulo",
  "Africa/Casablanca",
  "Antarctica/Troll",
])("%s", (timezone) => {
  test.each<CalendarUnit>(["day", "week", "month", "year"])("%s buckets follow each other without gaps", (unit) => {
    const grid = calendarGrid({ unit, timezone });
    const anew = () => calendarGrid({ unit, timezone });
    let at = Date.UTC(2009, 11, 25);
    for (let i = 0; at < Date.UTC(2013, 0, 1); i++) {
      const bucket = grid.bucketAt(at);
      if (i > 0) expect(bucket.start).toBe(at);
      expect(bucket.end - bucket.start).toBeGreaterThanOrEqual(SHORTEST_MS[unit]);
      // The same, whichever moment of the bucket is asked about first.
      for (const one of [bucket.start, bucket.end - 1, bucket.start + HOUR])
        expect(anew().bucketAt(one)).toEqual(bucket);
      at = bucket.end;
    }
  });
});

test("a zone that is asked about is remembered, however many others were before", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  for (const zone of zones) localOffsets(zone);
  const made = vi.spyOn(Intl, "DateTimeFormat");
  onTestFinished(() => made.mockRestore());
  // Some are remembered from before.
  for (const zone of zones) for (let n = 0; n < 50; n += 1) localOffsets(zone);
  expect(made.mock.calls.length).toBeLessThanOrEqual(zones.length);
});
