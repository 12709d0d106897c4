// A calendar of a site: a weekly plan, or the entries of an iCalendar file. Rules and schedules ask whether it is on.

import type { Instant } from "#core/time/instant.ts";
import { WEEKDAYS, type Weekday } from "#core/time/weekday.ts";

export type CalendarValue = number | string | boolean;

/** Minutes of the local day: 1,440 is the end of it. An end at or before the beginning is on the next day. */
export interface PlanRange {
  readonly from: number;
  readonly to: number;
  readonly value: CalendarValue | undefined;
}

export type WeeklyPlan = Readonly<Record<Weekday, readonly PlanRange[]>>;

export type CalendarContent =
  | { readonly kind: "weekly"; readonly plan: WeeklyPlan }
  /** RFC 5545, as it was given. */
  | { readonly kind: "ical"; readonly text: string };

export type SiteCalendar = CalendarContent & {
  readonly siteId: string;
  readonly name: string;
  /** An IANA name. Undefined: that of the site. */
  readonly timezone: string | undefined;
  /** While one of these calendars of the site is on, this one is off. */
  readonly except: readonly string[];
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
};

export const CALENDAR_NAME = /^[a-z][a-z0-9_-]{0,63}$/;
export const MOST_CALENDARS = 100;
export const MOST_ICAL_BYTES = 262_144;
/** Characters of all calendars of a site together, as stored. */
export const MOST_SITE_CALENDAR_TEXT = 4 * 1_048_576;
export const MOST_RANGES_OF_DAY = 96;
export const MOST_EXCEPT = 10;
export const LONGEST_CALENDAR_VALUE = 200;
export const MINUTES_OF_DAY = 1_440;

interface PlanProblem {
  readonly day: Weekday;
  readonly index: number;
  readonly message: string;
}

/** What is wrong with a plan; empty: nothing. */
export function planProblems(plan: WeeklyPlan): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  const all = WEEKDAYS.flatMap((day, dayIndex) =>
    plan[day].map((range, index) => ({ day, index, range, ...boundsOf(range, dayIndex * MINUTES_OF_DAY) })),
  );
  const kind = all.map(({ range }) => range.value).find((value) => value !== undefined);
  for (const { day, index, range } of all) {
    if (range.from === range.to)
      problems.push({ day, index, message: "it begins and ends at the same time; a whole day is 00:00 to 24:00" });
    if (range.value !== undefined && kind !== undefined && typeof range.value !== typeof kind)
      problems.push({ day, index, message: "all values of a plan are numbers, or all are texts, or all are booleans" });
  }
  const sorted = all.filter(({ range }) => range.from !== range.to).sort((a, b) => a.start - b.start);
  const first = sorted[0];
  for (const [n, { day, index, start }] of sorted.entries()) {
    const before = sorted[n - 1];
    if (before !== undefined && before.end > start)
      problems.push({ day, index, message: `it overlaps the range ${nameOf(before)}` });
  }
  const last = sorted.at(-1);
  // Sunday's last range may reach into Monday.
  if (first !== undefined && last !== undefined && last !== first && last.end - WEEK_MINUTES > first.start)
    problems.push({ day: first.day, index: first.index, message: `it overlaps the range ${nameOf(last)}` });
  return problems;
}

const WEEK_MINUTES = 7 * MINUTES_OF_DAY;

function boundsOf({ from, to }: PlanRange, dayStart: number) {
  return { start: dayStart + from, end: dayStart + (to > from ? to : to + MINUTES_OF_DAY) };
}

const nameOf = ({ day, range }: { readonly day: Weekday; readonly range: PlanRange }) =>
  `${day} ${clockText(range.from)} to ${clockText(range.to)}`;

export const clockText = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
