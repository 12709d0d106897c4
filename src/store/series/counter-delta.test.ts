import { expect, test } from "vitest";
import { CounterDelta } from "./counter-delta.ts";

/** `0=5 10=6.5`: minutes and values. */
function risesOf(text: string, maxPerHour = Number.POSITIVE_INFINITY): number {
  const points = text.split(" ").map((point) => point.split("=").map(Number));
  const column = {
    kind: "number",
    count: points.length,
    times: Float64Array.from(points, ([minutes = 0]) => minutes * 60_000),
    values: Float64Array.from(points, ([, value = 0]) => value),
  } as const;
  const counter = new CounterDelta(undefined, { maxPerHour });
  counter.begin();
  counter.addPoints(column, 0, column.count);
  const result = new Float64Array(1);
  counter.store(result, [], 0);
  return Math.round((result[0] ?? 0) * 1e6) / 1e6;
}

test.each([
  ["a counter that rises", "0=5 1=6.5 2=7", 2],
  ["a small dip that goes on", "0=50000.5 1=50000.4 2=50001.4", 0.9],
  ["a small dip and the return from it", "0=50000.5 1=50000.4 2=50000.5", 0],
  ["a value that is far too low for a moment", "0=50000 1=30000 2=50001", 1],
  ["several dips, one in the other", "0=100 1=90 2=95 3=80 4=99 5=101", 1],
  ["a restart near zero", "0=50000 1=0.5 2=1.5", 1.5],
  ["a restart at zero", "0=3 1=0 2=0.2", 0.2],
  ["a fall that lasts counts from the new level after an hour", "0=50000 1=30000 30=30002 62=30003 70=30005", 3],
  ["a fall over a gap that lasts", "0=50000 600=30000 700=30004", 4],
  ["values below zero", "0=-5 1=-6 2=-4", 1],
])("%s: %s adds %d", (_, points, expected) => {
  expect(risesOf(points)).toBe(expected);
});

test.each([
  ["a rise that can be", "0=100 60=130", 130 - 100],
  ["a rise that cannot be counts nothing, and the next one counts again", "0=100 1=9999 2=9999.5", 0.5],
  ["a fall that cannot have been counted from zero is no restart", "0=9999 1=101 2=102", 0],
  ["a long gap can bring much", "0=100 6000=3000", 2900],
])("with at most 30 an hour, %s: %s adds %d", (_, points, expected) => {
  expect(risesOf(points, 30)).toBe(expected);
});
