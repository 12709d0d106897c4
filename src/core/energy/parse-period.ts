// Periods as people name them, in the time zone of a site.
import { calendarGrid, firstMomentOf } from "#core/time/calendar.ts";
import { type Instant, instant } from "#core/time/instant.ts";

export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

export const PERIODS = "today, yesterday, a day (2026-11-15), a month (2026-11) or a year (2026)";

/** Undefined for a text that names no period. */
export function parsePeriod(text: string, timezone: string, now: number): Period | undefined {
  if (text === "today" || text === "yesterday") {
    const grid = calendarGrid({ unit: "day", timezone });
    const today = grid.bucketAt(now);
    const { start, end } = text === "today" ? today : grid.bucketAt(today.start - 1);
    return { from: instant(start), to: instant(end) };
  }
  const [, year, month, day] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [first, months, days] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const at = (y: number, m: number, d: number) => new Date(0).setUTCFullYear(y, m, d);
  const start = new Date(at(first, months, days));
  if (start.getUTCMonth() !== months || start.getUTCDate() !== days) return undefined;
  const end =
    day !== undefined
      ? at(first, months, days + 1)
      : month !== undefined
        ? at(first, months + 1, 1)
        : at(first + 1, 0, 1);
  const period = {
    from: instant(firstMomentOf(timezone, start.getTime())),
    to: instant(firstMomentOf(timezone, end)),
  };
  // A day that the zone left out.
  return period.from < period.to ? period : undefined;
}
