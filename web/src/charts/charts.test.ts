import { expect, test } from "vitest";
import { digitsOf, hourTicks, niceAxis } from "./axis.ts";
import { areaPath, linePath, runsOf, stepPath } from "./paths.ts";

test.each([
  [[0, 3.7], "0 1 2 3 4"],
  [[-2.1, 6.3], "-2.5 0 2.5 5 7.5"],
  [[-8, 0], "-8 -6 -4 -2 0"],
  [[0.01, 0.03], "0 0.01 0.02 0.03"],
  [[], "0 0.25 0.5 0.75 1"],
  [[5, 5], "0 2 4 6"],
  [[Number.NaN, 40], "0 10 20 30 40"],
])("an axis for %j has the ticks %s", (values, expected) => {
  expect(niceAxis(values).ticks.join(" ")).toBe(expected);
});

test("a fitted axis leaves zero out, and a constant value lies within it", () => {
  expect(niceAxis([740, 756], { fitted: true }).ticks).toEqual([740, 745, 750, 755, 760]);
  const { low, high } = niceAxis([50, 50], { fitted: true });
  expect([low < 50, high > 50]).toEqual([true, true]);
});

test.each([
  [[0, 3.7], 0],
  [[0, 10], 1],
  [[0, 0.04], 2],
])("the ticks for %j need %i digits", (values, digits) => {
  expect(digitsOf(niceAxis(values))).toBe(digits);
});

const hoursIn = (from: string, to: string, zone: string, hours: number) =>
  hourTicks({ from: Date.parse(from), to: Date.parse(to) }, zone, hours).map((at) =>
    new Date(at).toISOString().slice(5, 16),
  );

test("hours are those of the zone's clock, also on days with 23 and 25 hours", () => {
  expect(hoursIn("2026-11-17T23:00Z", "2026-11-18T23:00Z", "Europe/Berlin", 6)).toEqual([
    "11-17T23:00",
    "11-18T05:00",
    "11-18T11:00",
    "11-18T17:00",
    "11-18T23:00",
  ]);
  expect(hoursIn("2026-03-28T23:00Z", "2026-03-29T22:00Z", "Europe/Berlin", 6)).toEqual([
    "03-28T23:00",
    "03-29T04:00",
    "03-29T10:00",
    "03-29T16:00",
    "03-29T22:00",
  ]);
  expect(hoursIn("2026-10-24T22:00Z", "2026-10-25T23:00Z", "Europe/Berlin", 12)).toEqual([
    "10-24T22:00",
    "10-25T11:00",
    "10-25T23:00",
  ]);
  expect(hoursIn("2026-11-17T20:00Z", "2026-11-18T08:00Z", "Asia/Kathmandu", 6)).toEqual([
    "11-18T00:15",
    "11-18T06:15",
  ]);
});

const places = {
  start: (i: number) => i * 10,
  middle: (i: number) => i * 10 + 5,
  end: (i: number) => i * 10 + 10,
  y: (v: number) => v,
};

test("a line breaks at gaps, and a single value is as long as its bucket", () => {
  expect(linePath([1, 2, undefined, 3], places)).toBe("M0 1L5 1L15 2L20 2M30 3L35 3L40 3");
  expect(linePath([1, undefined, 3], places, 1)).toBe("M0 1L5 1L25 3L30 3");
  expect(linePath([undefined], places)).toBe("");
});

test("an area exists where both of its rims do", () => {
  expect(areaPath([0, 0, undefined], [2, 3, 4], places)).toBe("M0 2L5 2L15 3L20 3L20 0L15 0L5 0L0 0Z");
});

test("short gaps are bridged when that is asked for", () => {
  expect(runsOf([1, undefined, 2, undefined, undefined, 3], 1)).toEqual([
    [0, 2],
    [5, 5],
  ]);
});

test("steps are joined where they follow each other, and a gap breaks the line", () => {
  const steps = [
    { from: 0, to: 2, value: 1 },
    { from: 2, to: 3, value: 4 },
    { from: 5, to: 6, value: 4 },
  ];
  const same = (value: number) => value;
  expect(stepPath(steps, (at) => at * 10, same)).toBe("M0 1H20V4H30M50 4H60");
});
