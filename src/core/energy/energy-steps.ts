// The steps of a period: quarters of an hour, hours, days, weeks, months or years as the clocks of the site show them.
import type { Period } from "#core/energy/parse-period.ts";
import { CALENDAR_UNITS, calendarGrid, localOffsets } from "#core/time/calendar.ts";
import { HOUR_MS, QUARTER_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";

export const STEP_UNITS = ["quarter_hour", "hour", ...CALENDAR_UNITS] as const;
export type StepUnit = (typeof STEP_UNITS)[number];

export const MAX_STEPS = 800;

/** They follow each other without gaps, and the first and last are cut to the period. Undefined: more than MAX_STEPS. */
export function stepsOf({ from, to }: Period, unit: StepUnit, timezone: string): readonly Period[] | undefined {
  const endOf = unit === "quarter_hour" || unit === "hour" ? clockSteps(unit, timezone) : calendarSteps(unit, timezone);
  const steps: Period[] = [];
  for (let at = from as number; at < to; ) {
    if (steps.length === MAX_STEPS) return undefined;
    const end = Math.min(to, endOf(at));
    steps.push({ from: instant(at), to: instant(end) });
    at = end;
  }
  return steps;
}

/** The next unit that needs fewer steps. */
export function coarserUnit(unit: StepUnit): StepUnit {
  return STEP_UNITS[Math.min(STEP_UNITS.indexOf(unit) + 1, STEP_UNITS.length - 1)] ?? "year";
}

function calendarSteps(unit: (typeof CALENDAR_UNITS)[number], timezone: string): (at: number) => number {
  const grid = calendarGrid({ unit, timezone });
  return (at) => grid.bucketAt(at).end;
}

/**
 * An hour ends when the clock shows another one, and when the clock is changed: an hour that comes twice is two steps, and
 * where clocks are changed by half an hour, one is shorter.
 */
function clockSteps(unit: "quarter_hour" | "hour", timezone: string): (at: number) => number {
  const offsetAt = localOffsets(timezone);
  const lengthMs = unit === "hour" ? HOUR_MS : QUARTER_MS;
  return (at) => {
    const offset = offsetAt(at);
    const end = (Math.floor((at + offset) / lengthMs) + 1) * lengthMs - offset;
    for (let quarter = (Math.floor(at / QUARTER_MS) + 1) * QUARTER_MS; quarter < end; quarter += QUARTER_MS) {
      if (offsetAt(quarter) !== offset) return quarter;
    }
    return end;
  };
}
