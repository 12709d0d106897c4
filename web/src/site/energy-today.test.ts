import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { type CounterReading, countersOf, energiesOfToday, type PowerSeries } from "./energy-today.ts";
import type { Kind } from "./power-readings.ts";

const HOUR = 3_600_000;
const counter = (text: string): CounterReading => {
  const [name = "", first, latest] = text.split(" ");
  const number = (part: string | undefined) => (part === undefined || part === "?" ? undefined : Number(part));
  return { counter: name as CounterReading["counter"], first: number(first), latest: number(latest) };
};
const today = (given: {
  series?: readonly (Omit<PowerSeries, "since"> & { since?: number })[];
  counters?: readonly string[];
  hours?: number;
}) => {
  const hours = given.hours ?? 4;
  const series = (given.series ?? []).map((one) => ({ since: 0, ...one }));
  return energiesOfToday({
    times: Array.from({ length: hours }, (_, index) => index * HOUR),
    bucketMs: HOUR,
    dayStart: 0,
    now: hours * HOUR,
    series,
    counters: (given.counters ?? []).map(counter),
    kinds: new Set<Kind>(series.map(({ kind }) => kind)),
  });
};

test("power over time is energy, and the building uses what is left", () => {
  const energies = today({
    series: [
      { kind: "solar", watts: [0, 1000, 3000, 2000] },
      { kind: "grid", watts: [500, 0, -1500, -500] },
      { kind: "battery", watts: [0, 400, 600, -200] },
    ],
  });
  expect(energies).toEqual({
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
  const energies = today({
    series: [
      { kind: "solar", watts: [1000, 1000, 1000, 1000] },
      { kind: "grid", watts: [0, 0, 0, 0] },
    ],
    counters: ["produced 100 104.5", "fromGrid 10 11", "toGrid 20 21.5", "hydrogen 5 5.5"],
  });
  expect(energies).toMatchObject({ produced: 4.5, fromGrid: 1, toGrid: 1.5, used: 4, hydrogen: 0.5 });
});

test("a counter that fell, or that has no first value, is not believed", () => {
  const series = [{ kind: "grid", watts: [1000, 1000, 1000, 1000] } as const];
  expect(today({ series, counters: ["fromGrid 100 3"] }).fromGrid).toBe(4);
  expect(today({ series, counters: ["fromGrid ? 3"] }).fromGrid).toBe(4);
});

test("what nothing measures is unknown", () => {
  expect(today({})).toEqual({
    produced: undefined,
    used: undefined,
    fromGrid: undefined,
    toGrid: undefined,
    selfUse: undefined,
    hydrogen: undefined,
    coverage: 0,
  });
  expect(
    today({ series: [{ kind: "solar", watts: [undefined, undefined, undefined, undefined] }] }).produced,
  ).toBeUndefined();
});

test("missing buckets lower the coverage", () => {
  expect(today({ series: [{ kind: "grid", watts: [undefined, 1, 1, 1] }] }).coverage).toBe(0.75);
});

test("a device that was added today is not expected to know the morning", () => {
  expect(today({ series: [{ kind: "grid", watts: [undefined, undefined, 1, 1], since: 2 * HOUR }] }).coverage).toBe(1);
});

test("the last bucket counts only as far as it has gone", () => {
  const energies = energiesOfToday({
    times: [0],
    bucketMs: HOUR,
    dayStart: 0,
    now: HOUR / 4,
    series: [{ kind: "grid", watts: [1000], since: 0 }],
    counters: [],
    kinds: new Set(["grid"]),
  });
  expect(energies.fromGrid).toBe(0.25);
});

test("at night without production the self-use is unknown, not 100 %", () => {
  expect(
    today({
      series: [
        { kind: "solar", watts: [0, 0, 0, 0] },
        { kind: "grid", watts: [1, 1, 1, 1] },
      ],
    }).selfUse,
  ).toBeUndefined();
});

test("counters are found by the fields of profiles", () => {
  const manifest = readManifest({
    telemetry: {
      yield: { unit: "kWh", implements: ["energy.pv.energy.pv_energy_total"] },
      hydrogen_total: { unit: "L" },
    },
  });
  expect(countersOf({ id: "d", manifest }).map(({ what, attribute }) => `${what}=${attribute}`)).toEqual([
    "produced=yield",
    "hydrogen=hydrogen_total",
  ]);
});
