// Which period the page shows, by its address and the calendar of the site. Pure.
import { MAX_STEPS, type StepUnit, stepsOf } from "#core/energy/energy-steps.ts";
import {
  type NamedPeriod,
  nameOfPeriod,
  type Period,
  type PeriodKind,
  parsePeriod,
} from "#core/energy/parse-period.ts";
import { calendarGrid } from "#core/time/calendar.ts";
import type { QueryChange } from "#web/router/paths.ts";

export const KINDS = ["day", "week", "month", "year", "range"] as const satisfies readonly PeriodKind[];
const DAY = 86_400_000;
/** Longer ranges have too many days to tell them apart. */
const MOST_DAYS = 100;

type Given = {
  readonly period?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};
type Place = { readonly zone: string; readonly now: number };

/** What the address says. `from` and `to` are the first and the last day of a range. Anything else is this month. */
export function chosenPeriod({ period, from, to }: Given, { zone, now }: Place): NamedPeriod {
  const day = (text: string | undefined) => {
    const found = text === undefined ? undefined : parsePeriod(text, zone, now);
    return found?.kind === "day" ? found : undefined;
  };
  const [first, last] = [day(from), day(to)];
  if (first !== undefined && last !== undefined && first.from < last.to)
    return { kind: "range", from: first.from, to: last.to };
  const named = period === undefined ? undefined : parsePeriod(period, zone, now);
  return named ?? periodAt("month", now, zone);
}

function periodAt(kind: Exclude<PeriodKind, "range">, at: number, zone: string): NamedPeriod {
  const { start, end } = calendarGrid({ unit: kind, timezone: zone }).bucketAt(at);
  return { kind, from: start, to: end } as NamedPeriod;
}

/** The day of the site's calendar in which a moment lies: 2026-11-18. */
export function dayAt(at: number, zone: string): string {
  return nameOfPeriod(periodAt("day", at, zone), zone) ?? "";
}

/** The address of a period. */
export function addressOf(period: NamedPeriod, zone: string): QueryChange {
  if (period.kind === "range")
    return { period: undefined, from: dayAt(period.from, zone), to: dayAt(period.to - 1, zone) };
  return { period: nameOfPeriod(period, zone), from: undefined, to: undefined };
}

/** The one before or after it. Of a range: as many days. */
export function neighbour(period: NamedPeriod, zone: string, side: "before" | "after"): NamedPeriod {
  if (period.kind !== "range") return periodAt(period.kind, side === "before" ? period.from - 1 : period.to, zone);
  const days = Math.round((period.to - period.from) / DAY);
  const moved = (at: number) => periodAt("day", at + (side === "before" ? -days : days) * DAY + DAY / 2, zone).from;
  return { kind: "range", from: moved(period.from), to: moved(period.to) };
}

/** The same place by another kind of period: that of today where the period has it, otherwise that of its beginning. */
export function asKind(period: NamedPeriod, kind: PeriodKind, { zone, now }: Place): NamedPeriod {
  if (kind === "range") return { ...period, kind };
  return periodAt(kind, period.from <= now && now < period.to ? now : period.from, zone);
}

/** How finely a period is shown. */
export function stepOf({ kind, from, to }: NamedPeriod): StepUnit {
  if (kind === "day") return "hour";
  if (kind === "week" || kind === "month") return "day";
  if (kind === "year") return "month";
  const days = (to - from) / DAY;
  return days <= 2.1 ? "hour" : days <= MOST_DAYS ? "day" : days <= 30 * MAX_STEPS ? "month" : "year";
}

/** All steps of the period, also those that are to come. */
export function slotsOf(period: NamedPeriod, zone: string): readonly Period[] {
  return stepsOf(period, stepOf(period), zone) ?? [];
}

/** The period that a step is, if it can be looked into. */
export function insideOf(unit: StepUnit, at: number, zone: string): NamedPeriod | undefined {
  return unit === "day" || unit === "month" || unit === "year" ? periodAt(unit, at, zone) : undefined;
}

/** What is asked of the interface. */
export function questionOf(period: NamedPeriod, zone: string) {
  const name = nameOfPeriod(period, zone);
  const range = { from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() };
  return { ...(name === undefined ? range : { period: name }), step: stepOf(period), before: true, costs: true };
}
