import { expect, test } from "vitest";
import { coarserUnit, MAX_STEPS, type StepUnit, stepsOf } from "./energy-steps.ts";
import { type Period, parsePeriod } from "./parse-period.ts";

const HOUR = 3_600_000;

function periodOf(text: string, timezone: string): Period {
  const period = parsePeriod(text, timezone, 0);
  if (period === undefined) throw new Error(`${text} is no period`);
  return period;
}

/** `23x1h`: so many steps of this length, one after the other. */
function lengths(steps: readonly Period[] | undefined): string {
  const runs: { length: number; count: number }[] = [];
  for (const { from, to } of steps ?? []) {
    const last = runs.at(-1);
    if (last?.length === to - from) last.count++;
    else runs.push({ length: to - from, count: 1 });
  }
  return runs.map(({ length, count }) => `${count}x${length / HOUR}h`).join(" ");
}

test.each([
  ["2026-03-29", "hour", "Europe/Berlin", "23x1h"],
  ["2026-10-25", "hour", "Europe/Berlin", "25x1h"],
  ["2026-10-25", "quarter_hour", "Europe/Berlin", "100x0.25h"],
  ["2026-11-15", "hour", "Asia/Kathmandu", "24x1h"],
  // Clocks are changed by half an hour.
  ["2026-10-04", "hour", "Australia/Lord_Howe", "2x1h 1x0.5h 21x1h"],
  ["2026-04-05", "hour", "Australia/Lord_Howe", "2x1h 1x0.5h 22x1h"],
  ["2026-W13", "day", "Europe/Berlin", "6x24h 1x23h"],
  ["2026-10", "day", "Europe/Berlin", "24x24h 1x25h 6x24h"],
  ["2026-10", "day", "Asia/Kathmandu", "31x24h"],
  ["2026", "year", "Europe/Berlin", "1x8760h"],
] as const)("%s by %s in %s is %s", (text, unit, timezone, expected) => {
  const period = periodOf(text, timezone);
  const steps = stepsOf(period, unit, timezone);
  expect(lengths(steps)).toBe(expected);
  expect([steps?.[0]?.from, steps?.at(-1)?.to]).toEqual([period.from, period.to]);
});

test("weeks at the ends of a year are cut to it", () => {
  const steps = stepsOf(periodOf("2026", "Europe/Berlin"), "week", "Europe/Berlin");
  expect([steps?.length, lengths(steps?.slice(0, 1)), lengths(steps?.slice(-1))]).toEqual([53, "1x96h", "1x96h"]);
});

test("too many steps are refused, and the next unit is a way out", () => {
  const year = periodOf("2026", "Europe/Berlin");
  expect(stepsOf(year, "hour", "Europe/Berlin")).toBeUndefined();
  expect(stepsOf(year, coarserUnit("hour"), "Europe/Berlin")).toHaveLength(365);
  const days = { from: year.from, to: (year.from + MAX_STEPS * 24 * HOUR) as Period["to"] };
  expect(stepsOf(days, "day", "UTC")?.length ?? 0).toBeLessThanOrEqual(MAX_STEPS);
  expect((["quarter_hour", "year"] as StepUnit[]).map(coarserUnit)).toEqual(["hour", "year"]);
});
