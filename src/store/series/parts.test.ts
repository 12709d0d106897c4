import { expect, test } from "vitest";
import type { Column } from "./column.ts";
import { packGrain, unpackGrain } from "./held-parts.ts";
import type { PartField } from "./part-levels.ts";
import { encodeParts, grainOf, type Parts, readHours, readParts } from "./parts.ts";
import { summarize } from "./summarize.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function columnOf(step: number, values: readonly number[], start = 0): Column {
  const times = Float64Array.from(values, (_, i) => start + i * step);
  return { kind: "number", count: values.length, times, values: Float64Array.from(values) };
}
const ramp = (count: number, places: number) =>
  Array.from({ length: count }, (_, i) => Number((i / 7).toFixed(places)));

test.each([
  ["a point a second", 1_000, 3_600, DAY, MINUTE],
  ["a point in ten seconds", 10_000, 360, DAY, 15 * MINUTE],
  ["ten points in a minute", 6_000, 600, DAY, 5 * MINUTE],
  ["a point a minute, of a day", MINUTE, 1_440, DAY, HOUR],
  ["a point a minute, of an hour", MINUTE, 60, HOUR, 0],
  ["a point an hour", HOUR, 24, DAY, 0],
  ["a single point", 1, 1, DAY, 0],
])("%s has parts as long as they have many points", (_, step, count, span, grain) => {
  expect(grainOf(columnOf(step, ramp(count, 1)), span)).toBe(grain);
});

test.each([
  ["decimals", ramp(3_600, 2)],
  ["whole numbers", ramp(3_600, 0)],
  ["values of any digits", Array.from({ length: 3_600 }, (_, i) => Math.sin(i) * 1e3)],
  ["values of very different size", Array.from({ length: 3_600 }, (_, i) => (i % 2 === 0 ? 1e15 + i : -1e-9 * i))],
])("parts of %s say what each minute holds, before 1970 too", (_, values) => {
  const start = -2 * HOUR;
  const { parts, grain, summary } = summarize(columnOf(1_000, values, start), start, HOUR);
  expect(grain).toBe(MINUTE);
  const field = readParts(parts, { start, grain });
  const of = (name: PartField) => [...field(name)];
  const minutes = Array.from({ length: 60 }, (_, i) => values.slice(i * 60, i * 60 + 60));
  expect(of("start")).toEqual(minutes.map((_, i) => start + i * MINUTE));
  expect(of("count")).toEqual(minutes.map((minute) => minute.length));
  expect(of("min")).toEqual(minutes.map((minute) => Math.min(...minute)));
  expect(of("max")).toEqual(minutes.map((minute) => Math.max(...minute)));
  expect(of("first")).toEqual(minutes.map((minute) => minute[0]));
  expect(of("last")).toEqual(minutes.map((minute) => minute.at(-1)));
  const alone = minutes.map((minute) => summarize(columnOf(1, minute), 0, 1).summary.sum);
  const [sums, rests] = [of("sum"), of("rest")];
  for (const [i, { high, low }] of alone.entries()) {
    const [sum = 0, rest = 0] = [sums[i], rests[i]];
    expect([i, sum + rest, rest - (sum + rest - sum)]).toEqual([i, high, low]);
  }
  expect(summary.count).toBe(3_600);
  expect(summary.min).toBe(Math.min(...values));
});

test.each([
  ["decimals", ramp(86_400, 2)],
  ["values of very different size", Array.from({ length: 86_400 }, (_, i) => (i % 2 === 0 ? 1e15 + i : -1e-9 * i))],
])("a day of %s also says what each hour holds", (_, values) => {
  const start = -5 * DAY;
  const { parts, grain } = summarize(columnOf(1_000, values, start), start, DAY);
  expect(readParts(parts, { start, grain })("start")).toHaveLength(1_440);
  const field = readHours(parts, { start, grain });
  const of = (name: PartField) => [...field(name)];
  const hours = Array.from({ length: 24 }, (_, i) => values.slice(i * 3_600, (i + 1) * 3_600));
  expect(of("start")).toEqual(hours.map((_, i) => start + i * HOUR));
  expect(of("count")).toEqual(hours.map((hour) => hour.length));
  expect(of("min")).toEqual(hours.map((hour) => hour.reduce((a, b) => Math.min(a, b))));
  expect(of("max")).toEqual(hours.map((hour) => hour.reduce((a, b) => Math.max(a, b))));
  expect(of("first")).toEqual(hours.map((hour) => hour[0]));
  expect(of("last")).toEqual(hours.map((hour) => hour.at(-1)));
  const alone = hours.map((hour) => summarize(columnOf(1, hour), 0, 1).summary.sum);
  const [sums, rests] = [of("sum"), of("rest")];
  for (const [i, { high }] of alone.entries()) expect([i, (sums[i] ?? 0) + (rests[i] ?? 0)]).toEqual([i, high]);
});

test("an hour, and a day with parts of an hour, have no hours of their own", () => {
  for (const [step, count, span] of [
    [1_000, 3_600, HOUR],
    [MINUTE, 1_440, DAY],
  ] as const) {
    const { parts, grain } = summarize(columnOf(step, ramp(count, 1)), 0, span);
    expect(readHours(parts, { start: 0, grain })("start")).toEqual(readParts(parts, { start: 0, grain })("start"));
  }
});

test("hours whose sum is beyond all doubles are left out", () => {
  const values = Array.from({ length: 7_200 }, (_, i) => (i < 3_600 ? -1e305 : 1e305));
  const { parts, grain } = summarize(columnOf(1_000, values), 0, DAY);
  expect(readHours(parts, { start: 0, grain })("start")).toHaveLength(120);
});

test.each([
  ["a point a second", 1_000, 86_400, DAY, 15 * MINUTE],
  ["a point in two seconds, of five hours", 2_000, 9_000, DAY, 15 * MINUTE],
  ["a point in ten seconds", 10_000, 8_640, DAY, HOUR],
  ["a point in half a minute", 30_000, 2_880, DAY, 0],
  ["a point a second, of an hour", 1_000, 3_600, HOUR, 0],
])("of %s, integrals have parts as long as they have very many points", (_, step, count, span, held) => {
  expect(summarize(columnOf(step, ramp(count, 1)), 0, span).held).toBe(held);
});

test("values beyond the range of their sums have no parts for integrals", () => {
  const values = ramp(86_400, 1).map((value, i) => (i === 5 ? -1e300 : value));
  expect(summarize(columnOf(1_000, values), 0, DAY).held).toBe(0);
});

test("the length of both sorts of parts is one number, and that of earlier chunks has no parts for integrals", () => {
  for (const held of [0, 15 * MINUTE, HOUR]) {
    expect(unpackGrain(packGrain({ grain: MINUTE, held }))).toEqual({ grain: MINUTE, held });
  }
  expect(unpackGrain(5 * MINUTE)).toEqual({ grain: 5 * MINUTE, held: 0 });
});

test("parts for integrals cost less than 0.03 bytes a point", () => {
  const times = Float64Array.from({ length: 86_400 }, (_, i) => i * 1_000 + Math.floor(40 * Math.abs(Math.sin(i))));
  const values = Float64Array.from(times, (at) => Number((1_200 + 300 * Math.sin(at / 9e6) + Math.sin(at)).toFixed(1)));
  const column = { kind: "number" as const, count: 86_400, times, values };
  const { parts, grain } = summarize(column, 0, DAY);
  const old = encodeParts(decoded(parts, grain), 1_440, { start: 0, grain });
  expect((parts.length - old.length) / 86_400).toBeLessThan(0.03);
  expect(old.length).toBeGreaterThan(5_000);
});

function decoded(parts: Uint8Array, grain: number): Parts {
  const field = readParts(parts, { start: 0, grain });
  const names = ["start", "count", "sum", "rest", "min", "max", "first", "last"] as const;
  return Object.fromEntries(names.map((name) => [name, field(name)])) as unknown as Parts;
}

test("damaged parts are reported as such", () => {
  const { parts, grain } = summarize(columnOf(1_000, ramp(3_600, 2)), 0, HOUR);
  const place = { start: 0, grain };
  expect(() => readParts(parts.subarray(0, 20), place)).toThrow("Damaged parts");
  expect(() => readParts(Uint8Array.of(0x7f), place)).toThrow("no format has the number 127");
  expect(() => readParts(Uint8Array.of(...parts, 0), place)).toThrow("left over");
});
