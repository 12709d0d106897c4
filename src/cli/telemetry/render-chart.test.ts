import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { type ChartSeries, renderChart } from "./render-chart.ts";
import { timeTicks, valueLabel, valueTicks } from "./ticks.ts";

const HOUR = 3_600_000;
const FRAME = { from: 0, to: 24 * HOUR, columns: 60, colour: false };

function hourly(
  name: string,
  unit: string | undefined,
  value: (hour: number) => number | string | boolean | undefined,
): ChartSeries {
  const points = Array.from({ length: 24 }, (_, hour) => ({ at: hour * HOUR, value: value(hour) }));
  return {
    name,
    unit,
    stepMs: HOUR,
    points: points.flatMap(({ at, value: one }) => (one === undefined ? [] : [{ at, value: one }])),
  };
}

test("a line rises from the lower left to the upper right, between axes with round places", () => {
  const lines = renderChart([hourly("meter:power", "kW", (hour) => hour)], FRAME).split("\n");
  expect(lines[0]).toBe("[kW]  ━━ meter:power 23");
  expect(lines).toHaveLength(15);
  const marks = lines.slice(1, 13).map((line) => line.slice(0, 4).trim());
  expect(marks.filter((mark) => /\d/.test(mark))).toEqual(["20 ┤", "15 ┤", "10 ┤", "5 ┤", "0 ┤"]);
  const dots = lines.slice(1, 13).map((line) => line.search(/[\u2801-\u28ff]/));
  // From top to bottom the line begins further and further to the left.
  expect(dots).toEqual([...dots].sort((a, b) => b - a));
  expect(lines[13]).toMatch(/^ +└[─┬]+$/);
  expect(lines[14]).toMatch(/\d\d[:-]\d\d/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
});

test("a gap in the points is a gap in the line", () => {
  const full = renderChart([hourly("a", undefined, () => 5)], FRAME);
  const broken = renderChart([hourly("a", undefined, (hour) => (hour > 6 && hour < 18 ? undefined : 5))], FRAME);
  const dots = (text: string) => text.match(/[\u2801-\u28ff]/g)?.length ?? 0;
  expect(dots(broken)).toBeLessThan(dots(full) * 0.6);
});

test("a series with longer buckets of its own is no row of dots", () => {
  const every6 = hourly("a", undefined, (hour) => (hour % 6 === 0 ? 5 : undefined));
  const dots = (series: ChartSeries) => renderChart([series], FRAME).match(/[\u2801-\u28ff]/g)?.length ?? 0;
  expect(dots({ ...every6, stepMs: 6 * HOUR })).toBeGreaterThan(dots(every6) * 4);
});

test("series of one unit share a chart, each in its colour; another unit has its own", () => {
  const series = [
    hourly("a", "kW", (hour) => hour),
    hourly("b", "kW", (hour) => 24 - hour),
    hourly("c", "V", () => 230),
  ];
  const text = renderChart(series, { ...FRAME, colour: true });
  const esc = String.fromCharCode(27);
  for (const code of [36, 33, 35]) expect(text).toContain(`${esc}[${code}m━━`);
  const plain = stripVTControlCharacters(text);
  expect(plain.match(/^\[kW\] {2}━━ a 23 {3}━━ b 1$/m)).not.toBeNull();
  expect(plain.match(/^\[V\] {2}━━ c 230$/m)).not.toBeNull();
  expect(plain).toBe(renderChart(series, FRAME));
});

test("states are strips with a key: letters without colours, blocks with", () => {
  const series = [hourly("meter:status", undefined, (hour) => (hour < 12 ? "idle" : "busy"))];
  const [strip = "", key = ""] = renderChart(series, FRAME).split("\n");
  expect(strip).toMatch(/^meter:status │A+B+$/);
  expect(key.trim()).toBe("A idle  B busy");
  expect(stripVTControlCharacters(renderChart(series, { ...FRAME, colour: true }))).toMatch(/^meter:status │█+$/m);
});

test("of very many or very long states the most frequent are distinguished, and their names are cut", () => {
  const points = Array.from({ length: 24 }, (_, i) => ({
    at: FRAME.from + i * HOUR,
    value: i % 2 === 0 ? "y".repeat(500) : `state ${i}`,
  }));
  const text = renderChart([{ name: "note", unit: undefined, stepMs: HOUR, points }], FRAME);
  const [strip = "", key = ""] = text.split("\n");
  expect(strip).toMatch(/^note │[A-H* ]+$/);
  expect(key).toContain(`A ${"y".repeat(37)}...  B state 1  `);
  expect(key).toContain("* 5 others");
  expect(key.length).toBeLessThan(160);
});

test("a series without points is named, and control characters do not reach the terminal", () => {
  const text = renderChart([{ name: "a:\u001b[2Jb", unit: undefined, stepMs: HOUR, points: [] }], FRAME);
  expect(text).toMatch(/^nothing known: a:.*b$/);
  expect(text).not.toContain("\u001b");
});

test("flat, huge, tiny and negative values have a scale", () => {
  for (const value of [0, 1e12, 1e-9, -5, -1e9]) {
    const text = renderChart([hourly("a", undefined, () => value)], FRAME);
    expect(text).toMatch(/[\u2801-\u28ff]/);
    expect(text).not.toMatch(/NaN|Infinity/);
  }
});

test.each([
  [0, 10, "0 5 10"],
  [0, 23, "0 10 20"],
  [-1, 1, "-1.0 -0.5 0.0 0.5 1.0"],
  [0.1, 0.3, "0.10 0.15 0.20 0.25 0.30"],
  [1e7, 4e7, "1e+7 2e+7 3e+7 4e+7"],
])("between %d and %d round places are %s", (low, high, expected) => {
  const ticks = valueTicks(low, high, 4);
  expect(ticks.map((tick) => valueLabel(tick, ticks)).join(" ")).toBe(expected);
});

test("times on the axis are round by the wall clock", () => {
  for (const length of [60_000, HOUR, 24 * HOUR, 30 * 24 * HOUR, 3650 * 24 * HOUR]) {
    const ticks = timeTicks(1_700_000_123_456, 1_700_000_123_456 + length, 6);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThanOrEqual(7);
    for (const { at } of ticks) expect(new Date(at).getMilliseconds()).toBe(0);
  }
});
