import { expect, test } from "vitest";
import type { EnergyStep } from "#client/resources.ts";
import { barOf, compare, partsOf } from "./bars.ts";

const STEP: EnergyStep = {
  from: "2026-11-18T00:00:00.000Z",
  to: "2026-11-19T00:00:00.000Z",
  solar: 5000,
  production: null,
  discharged: 1000,
  from_grid: 2000,
  rest: 3000,
  load: 0,
  hydrogen: -2,
  car: 1500,
  charged: 2500,
  to_grid: 1000,
  used: 4500,
  self_consumption: 0.8,
  self_sufficiency: 0.5,
  hours_known: 24,
  hours: 24,
  is_complete: true,
  doubtful: 0,
};
const text = (step: EnergyStep, hidden = new Set<never>()) =>
  barOf(step, hidden).segments.map(({ part, from, to }) => `${part} ${from}..${to}`);

test("what came in lies above the axis, where it went below; nothing is no segment", () => {
  expect(text(STEP)).toEqual([
    "solar 0..5",
    "discharged 5..6",
    "from_grid 6..8",
    "rest 0..-3",
    "car -3..-4.5",
    "charged -4.5..-7",
    "to_grid -7..-8",
  ]);
});

test("what is hidden leaves no hole", () => {
  expect(barOf(STEP, new Set(["discharged", "car", "charged", "to_grid"])).segments).toEqual([
    { part: "solar", from: 0, to: 5 },
    { part: "from_grid", from: 5, to: 7 },
    { part: "rest", from: 0, to: -3 },
  ]);
});

test.each([
  [{ is_complete: true }, "whole"],
  [{ is_complete: false }, "running"],
  [{ is_complete: false, hours_known: 20 }, "incomplete"],
])("a step with %j is %s", (given, state) => {
  expect(barOf({ ...STEP, ...given }, new Set()).state).toBe(state);
});

test("parts of which nothing is known or that are nothing are left out", () => {
  const { from, to, self_consumption, self_sufficiency, hours, hours_known, is_complete, doubtful, ...groups } = STEP;
  void [from, to, self_consumption, self_sufficiency, hours, hours_known, is_complete, doubtful];
  expect(partsOf({ ...groups, hydrogen: null })).toEqual([
    "solar",
    "discharged",
    "from_grid",
    "rest",
    "car",
    "charged",
    "to_grid",
  ]);
});

test.each([
  [5, 3, { difference: 2, direction: "more" }],
  [3, 5, { difference: -2, direction: "less" }],
  [3, 3, { difference: 0, direction: "same" }],
  [null, 3, undefined],
  [3, null, undefined],
  [3, undefined, undefined],
])("%s beside %s", (value, before, expected) => {
  expect(compare(value, before)).toEqual(expected);
});
