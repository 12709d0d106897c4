import { expect, test } from "vitest";
import { alignLines, type Line, splitFilled, stateAt, usualStep, valueAt, withGaps } from "./lines.ts";
import type { Points } from "./read-items.ts";

/** `0=1 10=2` are values at moments; `5=|` is a gap. */
function line(text: string): Line {
  const pairs = text
    .split(" ")
    .filter(Boolean)
    .map((pair) => pair.split("="));
  return {
    times: pairs.map(([at]) => Number(at)),
    values: pairs.map(([, value]) => (value === "|" ? null : Number(value))),
  };
}
const points = (text: string) => line(text) as Points<number>;
const text = ({ times, values }: Line) => times.map((at, index) => `${at}=${values[index] ?? "|"}`).join(" ");

test.each([
  ["", 10, ""],
  ["0=1", 10, "0=1"],
  ["0=1 10=2 20=3", 10, "0=1 10=2 20=3"],
  // A bucket without a value is a gap.
  ["0=1 10=2 30=3 40=4", 10, "0=1 10=2 15=| 30=3 40=4"],
  // A device that sends every 50 has no gap between its values, however fine the buckets are.
  ["0=1 50=2 100=3 150=4", 10, "0=1 50=2 100=3 150=4"],
  ["0=1 50=2 100=3 150=4 300=5", 10, "0=1 50=2 100=3 150=4 155=| 300=5"],
  // Months are not equally long.
  ["0=1 31=2 59=3 90=4 120=5 181=6", 30, "0=1 31=2 59=3 90=4 120=5 135=| 181=6"],
])("[%s] in buckets of %d is the line [%s]", (given, bucket, expected) => {
  expect(text(withGaps(points(given), bucket))).toBe(expected);
});

test("the usual step is at least a bucket", () => {
  expect(usualStep([0, 1, 2, 3], 10)).toBe(10);
  expect(usualStep([0, 60, 120, 500], 10)).toBe(60);
});

test.each([
  ["0=1 10=1 20=1 30=5", [0, 30], "0=1 10=| 20=| 30=5", "0=1 10=1 20=1 30=5"],
  ["0=1 10=2 20=2 30=3 40=4", [0, 10, 30, 40], "0=1 10=2 20=| 30=3 40=4", "0=| 10=2 20=2 30=3 40=|"],
  ["0=7 10=7 20=8", [20], "0=| 10=| 20=8", "0=7 10=7 20=8"],
  ["0=1 10=2", [0, 10], "0=1 10=2", "0=| 10=|"],
])("of [%s] measured at %j, [%s] is solid and [%s] dashed", (given, measured, solid, dashed) => {
  const split = splitFilled(points(given), new Set(measured));
  expect([text(split.solid), text(split.dashed)]).toEqual([solid, dashed]);
});

test("lines with other times share one axis: undefined goes on, null is a gap", () => {
  const { times, columns } = alignLines([line("0=1 10=2 15=| 30=3"), line("5=7 30=8"), line("")]);
  expect(times).toEqual([0, 5, 10, 15, 30]);
  expect(columns).toEqual([
    [1, undefined, 2, null, 3],
    [undefined, 7, undefined, undefined, 8],
    [undefined, undefined, undefined, undefined, undefined],
  ]);
});

test("the value at a moment is the nearest one, and none in a gap", () => {
  const given = points("0=1 10=2 100=3");
  expect([-3, 4, 6, 14, 50, 99, 200].map((at) => valueAt(given, at, 10))).toEqual([
    1,
    1,
    2,
    2,
    undefined,
    3,
    undefined,
  ]);
});

test("a state holds until the next, and not through a gap", () => {
  const given = { times: [0, 10, 100], values: ["a", "b", "c"] };
  expect([-1, 0, 9, 10, 25, 40, 100].map((at) => stateAt(given, at, 20))).toEqual([
    undefined,
    "a",
    "a",
    "b",
    "b",
    undefined,
    "c",
  ]);
});
