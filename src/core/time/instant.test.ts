import { expect, test } from "vitest";
import { fineTime, parseBound, parseInstant, renderInstant } from "./instant.ts";

test.each([
  ["2026-11-14T12:00:00Z", "2026-11-14T12:00:00.000Z"],
  ["2026-11-14T12:00:00.5+02:00", "2026-11-14T10:00:00.500Z"],
  ["2026-11-14t12:00:00z", "2026-11-14T12:00:00.000Z"],
  ["2026-11-14 12:00:00Z", "2026-11-14T12:00:00.000Z"],
  ["2026-11-14T23:59:60Z", "2026-11-15T00:00:00.000Z"],
  ["2024-02-29T00:00:00-11:30", "2024-02-29T11:30:00.000Z"],
  ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ["2026-11-14T12:00:00.123456789Z", "2026-11-14T12:00:00.123Z"],
])("%s is the moment %s", (text, expected) => {
  const value = parseInstant(text);
  expect(value === undefined ? undefined : renderInstant(value)).toBe(expected);
});

test("a time is rendered as Date renders it, whatever was rendered before it", () => {
  const hour = Date.UTC(2026, 10, 14, 12);
  const near = [-3_600_000, -1, 0, 1, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000].map((ms) => hour + ms);
  const others = [-62_135_596_800_000, 253_402_300_799_999, -1, -0.5, 0, 0.5, hour + 0.999];
  for (const ms of [...near, ...others, ...near.toReversed()]) {
    expect(renderInstant(fineTime(ms))).toBe(new Date(ms).toISOString());
  }
});

test.each([
  "",
  "now",
  "1700000000",
  "2026-11-14",
  "2026-11-14T12:00:00",
  "2026-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-11-14T24:00:00Z",
  "2026-11-14T12:60:00Z",
  "2026-11-14T12:00:00+24:00",
  "2026-11-14T12:00Z",
  "0001-01-01T00:00:00+01:00",
  " 2026-11-14T12:00:00Z",
])("%j is no RFC 3339 date-time", (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

/** Fraction of the bound | milliseconds, as a bound of records with milliseconds and with microseconds. */
test.each([
  ["", 0, 0],
  [".5", 500, 500],
  [".500", 500, 500],
  [".500000000", 500, 500],
  [".5005", 501, 500.5],
  [".500500", 501, 500.5],
  [".500000001", 501, 500.001],
  [".999999999", 1000, 1000],
])("the bound :00%s is %s ms, or %s ms among microseconds", (fraction, millis, micros) => {
  const text = `1970-01-01T00:00:00${fraction}Z`;
  expect([parseBound(text), parseBound(text, 6)]).toEqual([millis, micros]);
});

test("no bound is read from what is no date-time", () => {
  expect([parseBound("now"), parseBound("2026-02-29T00:00:00.5005Z")]).toEqual([undefined, undefined]);
});
