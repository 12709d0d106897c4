// Periods as people name them, in the time zone of a site.
import { type CalendarUnit, calendarGrid, firstMomentOf, localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { type Instant, instant } from "#core/time/instant.ts";

export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

/** A range is any other period. */
export type PeriodKind = CalendarUnit | "range";

export interface NamedPeriod extends Period {
  readonly kind: PeriodKind;
}

export const PERIODS =
  "today, yesterday, this_week, this_month, this_year, a day (2026-11-15), a week (2026-W47), a month (2026-11) or a year (2026)";

const RUNNING: ReadonlyMap<string, CalendarUnit> = new Map([
  ["today", "day"],
  ["yesterday", "day"],
  ["this_week", "week"],
  ["this_month", "month"],
  ["this_year", "year"],
]);

/** Undefined for a text that names no period. */
export function parsePeriod(text: string, timezone: string, now: number): NamedPeriod | undefined {
  const unit = RUNNING.get(text);
  if (unit !== undefined) {
    const grid = calendarGrid({ unit, timezone });
    const running = grid.bucketAt(now);
    const { start, end } = text === "yesterday" ? grid.bucketAt(running.start - 1) : running;
    return { kind: unit, from: instant(start), to: instant(end) };
  }
  const found = localWeek(text) ?? localDates(text);
  if (found === undefined) return undefined;
  const period = {
    kind: found.kind,
    from: instant(firstMomentOf(timezone, found.start)),
    to: instant(firstMomentOf(timezone, found.end)),
  };
  // A day that the zone left out.
  return period.from < period.to ? period : undefined;
}

interface LocalDates {
  readonly kind: CalendarUnit;
  /** Local midnights, as a UTC clock shows them. */
  readonly start: number;
  readonly end: number;
}

const midnight = (year: number, month: number, day: number) => new Date(0).setUTCFullYear(year, month, day);

function localDates(text: string): LocalDates | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [first, months, days] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const start = midnight(first, months, days);
  const date = new Date(start);
  if (date.getUTCMonth() !== months || date.getUTCDate() !== days) return undefined;
  if (day !== undefined) return { kind: "day", start, end: midnight(first, months, days + 1) };
  if (month !== undefined) return { kind: "month", start, end: midnight(first, months + 1, 1) };
  return { kind: "year", start, end: midnight(first + 1, 0, 1) };
}

/** Week 1 of ISO 8601 has the first Thursday of the year, and so 4 January. */
function localWeek(text: string): LocalDates | undefined {
  const [, year, week] = /^(\d{4})-W(\d\d)$/i.exec(text) ?? [];
  if (year === undefined || week === undefined) return undefined;
  const fourth = midnight(Number(year), 0, 4);
  const firstMonday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
  const start = firstMonday + (Number(week) - 1) * 7 * DAY_MS;
  const thursday = new Date(start + 3 * DAY_MS);
  if (Number(week) < 1 || thursday.getUTCFullYear() !== Number(year)) return undefined;
  return { kind: "week", start, end: start + 7 * DAY_MS };
}

/** The name of a day, week, month or year, as `parsePeriod` reads it. Undefined for a range. */
export function nameOfPeriod({ kind, from }: NamedPeriod, timezone: string): string | undefined {
  const local = new Date(from + localOffsets(timezone)(from));
  const date = local.toISOString().slice(0, 10);
  if (kind === "day") return date;
  if (kind === "month") return date.slice(0, 7);
  if (kind === "year") return date.slice(0, 4);
  if (kind === "range") return undefined;
  const year = new Date(local.getTime() + 3 * DAY_MS).getUTCFullYear();
  const first = localWeek(`${String(year).padStart(4, "0")}-W01`)?.start ?? 0;
  const week = Math.round((local.getTime() - first) / (7 * DAY_MS)) + 1;
  return `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
}

/**
 * The day, week, month or year before; before a range, as long a range. Where the period is still running, the one before is
 * cut where its clocks show as much time since its start as has passed of the period, so that both compare.
 */
export function periodBefore(
  { kind, from, to }: NamedPeriod,
  timezone: string,
  now: number,
): Period & { readonly isCut: boolean } {
  if (kind === "range") {
    const end = Math.max(from + 1, Math.min(to, now));
    return { from: instant(from - (end - from)), to: from, isCut: false };
  }
  const { start, end } = calendarGrid({ unit: kind, timezone }).bucketAt(from - 1);
  const whole = { from: instant(start), to: instant(end), isCut: false };
  if (now >= to || now < from) return whole;
  const offsetAt = localOffsets(timezone);
  const passed = now + offsetAt(now) - (from + offsetAt(from));
  const cut = firstMomentOf(timezone, start + offsetAt(start) + passed);
  return cut >= end ? whole : { from: whole.from, to: instant(Math.max(start + 1, cut)), isCut: true };
}
