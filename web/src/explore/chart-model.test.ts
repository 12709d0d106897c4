import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { chartModel } from "./chart-model.ts";
import type { SeriesSpec } from "./explore-state.ts";
import { GRANULARITIES } from "./granularity.ts";
import { helpingItem, mainItem, questionOf, settingsOf } from "./questions.ts";
import type { Answer, Value } from "./read-items.ts";
import { describeSeries, explorable } from "./series-info.ts";
import { renderTable, tableOf } from "./table-rows.ts";

const device = {
  id: "1",
  name: "Meter",
  manifest: readManifest({
    telemetry: {
      power: { type: "float", unit: "W", auto_scale: ["W", "kW"] },
      volts: { type: "float", unit: "V" },
      mode: { type: "string", enum_with_metainfo: [{ value: "a", display_name: "Auto", color: "green" }] },
      tariff: { type: "integer", enum: [1, 2] },
      on: { type: "boolean" },
      details: { type: "json" },
    },
  }),
};
const info = (attribute: string, change: Partial<SeriesSpec> = {}) =>
  describeSeries(
    {
      device: "meter",
      attribute,
      aggregation: "auto",
      fill: undefined,
      granularity: undefined,
      isHidden: false,
      ...change,
    },
    device,
  );
const points = (...values: readonly Value[]): Answer => ({
  points: [{ times: values.map((_, index) => index * 1000), values }],
});
const FRAME = { bucketMs: 1000, end: 10_000, shift: 10_000 };
const read = (one: ReturnType<typeof info>, main: Answer, more: { helping?: Answer; previous?: Answer } = {}) => ({
  info: one,
  main,
  helping: more.helping,
  previous: more.previous,
});
const fail = (): never => {
  throw new Error("there is no such granularity");
};
const minute = GRANULARITIES.find(({ name }) => name === "1m") ?? fail();
const second = GRANULARITIES.find(({ name }) => name === "1s") ?? minute;
const month = GRANULARITIES.find(({ name }) => name === "1M") ?? minute;

test("amounts are lines on axes by unit, states are stretches", () => {
  const model = chartModel(
    [
      read(info("power"), points(900, 21_000)),
      read(info("mode"), points("a", "b")),
      read(info("volts"), points(230, 231)),
    ],
    FRAME,
  );
  expect(model.axes).toEqual([
    { symbol: "kW", series: [0] },
    { symbol: "V", series: [2] },
  ]);
  expect(model.lines.map(({ series, role, axis }) => [series, role, axis])).toEqual([
    [0, "main", 0],
    [2, "main", 1],
  ]);
  expect(model.data).toEqual([
    [0, 1000],
    [0.9, 21],
    [230, 231],
  ]);
  expect(model.series[1]?.stretches.map(({ value }) => value)).toEqual(["a", "b"]);
  expect(model.series[0]?.summary).toEqual({
    least: 0.9,
    greatest: 21,
    mean: expect.closeTo(10.95),
    last: 21,
    lastAt: 1000,
  });
});

test("the band, the carried parts and the period before are lines of their own", () => {
  const band: Answer = {
    points: [
      { times: [0, 2000], values: [1, 2] },
      { times: [0, 2000], values: [5, 6] },
    ],
  };
  const model = chartModel(
    [read(info("volts", { fill: "1h" }), points(3, 3, 4), { helping: band, previous: points(7) })],
    FRAME,
  );
  expect(model.lines.map(({ role }) => role)).toEqual(["high", "low", "previous", "filled", "main"]);
  const at = (role: string, moment: number) =>
    model.data[model.lines.findIndex((line) => line.role === role) + 1]?.[model.data[0].indexOf(moment)];
  expect([0, 1000, 2000].map((moment) => at("high", moment))).toEqual([5, undefined, 6]);
  expect([0, 1000, 2000].map((moment) => at("low", moment))).toEqual([1, undefined, 2]);
  expect([0, 1000, 2000].map((moment) => at("filled", moment))).toEqual([3, 3, 4]);
  expect([0, 1000, 2000].map((moment) => at("main", moment))).toEqual([3, null, 4]);
  expect(at("previous", 10_000)).toBe(7);
  expect(model.series[0]?.summary).toMatchObject({ least: 1, greatest: 6 });
});

test("what is refused, empty or hidden has no line, and the others have theirs", () => {
  const refusal = { code: "forbidden", message: "no" };
  const model = chartModel(
    [
      read(info("power"), { refusal }),
      read(info("volts"), points()),
      read(info("volts", { isHidden: true }), points(1)),
      read(info("power"), points(2)),
    ],
    FRAME,
  );
  expect(model.lines.map(({ series }) => series)).toEqual([1, 3]);
  expect(model.series.map(({ refusal: found, isEmpty }) => [found?.code, isEmpty])).toEqual([
    ["forbidden", false],
    [undefined, true],
    [undefined, false],
    [undefined, false],
  ]);
});

test("an enum of numbers is a state and asks for its last value, not for a mean", () => {
  expect(info("tariff")).toMatchObject({ kind: "state", aggregation: "last" });
  expect(info("on")).toMatchObject({ kind: "state", aggregation: "auto" });
  expect(info("on", { aggregation: "count" })).toMatchObject({ kind: "number", unit: undefined });
});

test("power over time is energy, and cannot be carried on", () => {
  expect(info("power", { aggregation: "integral" })).toMatchObject({
    unit: "W.h",
    autoScale: ["W.h", "kW.h"],
    canBeFilled: false,
    isStepped: true,
  });
  expect(mainItem(info("power", { aggregation: "integral", fill: "1h" }))).toEqual({
    device: "meter",
    attribute: "power",
    aggregation: "integral",
  });
});

test("an attribute without a history is not offered", () => {
  expect(explorable(device.manifest).map(({ id }) => id)).toEqual(["power", "volts", "mode", "tariff", "on"]);
});

test("beside its values a series asks for what helps to draw it", () => {
  const name = { device: "meter", attribute: "power" };
  expect(helpingItem(info("power"), minute, true)).toEqual({ ...name, aggregation: "min_max" });
  expect(helpingItem(info("power"), minute, false)).toBeUndefined();
  expect(helpingItem(info("power"), second, true)).toBeUndefined();
  expect(helpingItem(info("power", { aggregation: "max" }), minute, true)).toBeUndefined();
  expect(helpingItem(info("power", { fill: "1h" }), second, true)).toEqual({ ...name, aggregation: "count" });
  expect(helpingItem(info("mode", { fill: "1h" }), minute, true)).toEqual({
    ...name,
    attribute: "mode",
    aggregation: "count",
  });
});

test("a question begins with a whole bucket, ends now, and follows the calendar of the zone where it is asked to", () => {
  const range = { from: 61_500, to: 200_000, zone: "Europe/Berlin" };
  expect(settingsOf({ ...range, granularity: minute }, 150_000)).toEqual({ from: 60, to: 150, granularity: "1m" });
  expect(settingsOf({ ...range, granularity: month }, 300_000)).toEqual({
    from: 61.5,
    to: 200,
    granularity: "1M",
    timezone: "Europe/Berlin",
  });
  const settings = settingsOf({ ...range, granularity: minute }, 300_000);
  expect(questionOf([info("power", { fill: "1h" })], settings)).toEqual({
    from: "1970-01-01T00:01:00Z",
    to: "1970-01-01T00:03:20Z",
    granularity: "1m",
    telemetry: [
      { device: "meter", attribute: "power", aggregation: "auto", gap_filling: { method: "locf", look_around: "1h" } },
    ],
  });
});

test("the table has a row for each moment, and CSV says time zone and units", () => {
  const model = chartModel(
    [read(info("power"), points(900, 21_000), { previous: points(800) }), read(info("mode"), points("=a"))],
    FRAME,
  );
  expect(tableOf(model).rows).toEqual([
    { at: 0, cells: [0.9, undefined, "=a"] },
    { at: 1000, cells: [21, undefined, undefined] },
    { at: 10_000, cells: [undefined, 0.8, undefined] },
  ]);
  expect(renderTable(model, "Europe/Berlin", []).split("\r\n")).toEqual([
    "time,meter:power avg (kW),meter:power avg before (kW),meter:mode last",
    "1970-01-01T01:00:00+01:00,0.9,,'=a",
    "1970-01-01T01:00:01+01:00,21,,",
    "1970-01-01T01:00:10+01:00,,0.8,",
    "",
  ]);
});
