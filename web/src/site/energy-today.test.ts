import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { type CounterSeries, countersOf, type EnergySeries, energiesOfToday } from "./energy-today.ts";

const HOUR = 3_600_000;

/** Four hours of a day; a series is written `solar 0 1000 ? 2000`. */
function today(
  texts: readonly string[],
  {
    counters = [],
    since = 0,
    adjustment = 0,
  }: { counters?: readonly string[]; since?: number; adjustment?: number } = {},
) {
  const numbers = (parts: readonly string[]) => parts.map((part) => (part === "?" ? undefined : Number(part)));
  return energiesOfToday({
    times: [0, 1, 2, 3].map((hour) => hour * HOUR),
    bucketMs: HOUR,
    dayStart: 0,
    now: 4 * HOUR,
    series: texts.map((text) => {
      const [kind, ...parts] = text.split(" ");
      return { kind: kind as EnergySeries["kind"], wattHours: numbers(parts), since };
    }),
    counters: counters.map((text) => {
      const [what, ...parts] = text.split(" ");
      return { what: what as CounterSeries["what"], rises: numbers(parts), adjustment };
    }),
  });
}

test("the building uses what is produced and taken, and neither given nor charged", () => {
  expect(today(["solar 0 1000 3000 2000", "grid 500 0 -1500 -500", "battery 0 -400 -600 200"])).toEqual({
    produced: 6,
    fromGrid: 0.5,
    toGrid: 2,
    used: 3.7,
    selfUse: 1 - 2 / 6,
    hydrogen: undefined,
    coverage: 1,
  });
});

test("a counter says more than a mean of power, because it sees both directions of an hour", () => {
  const counters = ["produced 1 1 1 1.5", "fromGrid 0 0.5 0.5 0", "toGrid 0 0 1.5 ?", "hydrogen 0 0 0 0.5"];
  expect(today(["solar 1000 1000 1000 1000", "grid 0 0 0 0"], { counters })).toMatchObject({
    produced: 4.5,
    fromGrid: 1,
    toGrid: 1.5,
    used: 4,
    hydrogen: 0.5,
  });
});

test("corrections change what a counter says of the day, and make up nothing where it says nothing", () => {
  const corrected = (counters: readonly string[], adjustment: number) => today([], { counters, adjustment }).fromGrid;
  expect(corrected(["fromGrid 1 84999 1 1"], -84_999)).toBe(3);
  expect(corrected(["fromGrid 1 ? ? ?"], 5)).toBe(6);
  expect(corrected(["fromGrid ? ? ? ?"], 5)).toBeUndefined();
});

test("a counter without a value is not believed", () => {
  expect(today(["grid 1000 1000 1000 1000"], { counters: ["fromGrid ? ? ? ?"] }).fromGrid).toBe(4);
});

test("the counter of inverters is not the production of a site that has other producers, too", () => {
  expect(today(["solar 1000 0 0 0", "wind 500 0 0 0"], { counters: ["produced 1 0 0 0"] }).produced).toBe(1.5);
});

test("what nothing measures is unknown", () => {
  expect(today([])).toEqual({
    produced: undefined,
    used: undefined,
    fromGrid: undefined,
    toGrid: undefined,
    selfUse: undefined,
    hydrogen: undefined,
    coverage: 0,
  });
  expect(today(["solar ? ? ? ?"]).produced).toBeUndefined();
  expect(today(["solar ? ? ? ?", "grid 1 1 1 1"]).used).toBeUndefined();
});

test("missing buckets lower the coverage, but not those before a device existed", () => {
  expect(today(["grid ? 1 1 1"]).coverage).toBe(0.75);
  expect(today(["grid ? ? 1 1"], { since: 2 * HOUR }).coverage).toBe(1);
});

test("without production the self-use is unknown, not 100 %", () => {
  expect(today(["solar 0 0 0 0", "grid 1 1 1 1"]).selfUse).toBeUndefined();
});

test("counters are found by the fields of profiles", () => {
  const manifest = readManifest({
    telemetry: {
      yield: { unit: "kWh", implements: ["energy.pv.energy.pv_energy_total"] },
      hydrogen_total: { unit: "L" },
      grid_energy_import: { unit: "V" },
    },
  });
  expect(countersOf({ id: "d", manifest }).map(({ what, attribute }) => `${what}=${attribute}`)).toEqual([
    "produced=yield",
    "hydrogen=hydrogen_total",
  ]);
});
