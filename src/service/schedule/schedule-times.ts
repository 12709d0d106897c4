// The times of schedules, and which of them calendars leave out.
import type { CalendarBook } from "#core/calendar/calendar-book.ts";
import { parseDayTime } from "#core/rule/day-time.ts";
import { nextOf } from "#core/rule/local-times.ts";
import type { RuleWorld } from "#core/rule/rule-world.ts";
import type { CommandSchedule, NextAfter, ScheduleTiming } from "#core/schedule/schedule.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import type { Needs } from "#service/ports.ts";
import { cronTimes } from "./next-time.ts";

export interface ScheduleTimeNeeds extends Pick<Needs, "sites"> {
  readonly siteCalendars: Pick<SiteCalendars, "book">;
}

type Timed = Pick<CommandSchedule, "at" | "cron" | "timezone" | "timing">;

/** The times of a schedule; after its only time there is none. */
export async function nextTimes(needs: ScheduleTimeNeeds, schedule: Timed): Promise<NextAfter> {
  const { at, cron, timezone, timing } = schedule;
  if (cron !== undefined) return cronTimes(cron, timezone);
  if (timing?.daily === undefined) return (after) => (at !== undefined && at > after ? at : undefined);
  const { at: text, days } = timing.daily;
  const time = parseDayTime(text);
  if (time === undefined) return () => undefined;
  const site = timing.siteId === undefined ? undefined : await needs.sites.find(timing.siteId);
  const clock = { timezone, location: placeOf(site?.location), nextCron: () => undefined };
  return (after) => nextOf({ kind: "at", place: "", time, days }, after, clock);
}

function placeOf(
  location: { readonly latitude?: number | undefined; readonly longitude?: number | undefined } | undefined,
): RuleWorld["location"] {
  const { latitude, longitude } = location ?? {};
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

export async function calendarsOf(
  needs: ScheduleTimeNeeds,
  timing: ScheduleTiming | undefined,
): Promise<CalendarBook | undefined> {
  const names = [...(timing?.except ?? []), ...(timing?.only ?? [])];
  return timing?.siteId === undefined || names.length === 0 ? undefined : await needs.siteCalendars.book(timing.siteId);
}

export interface LeftOut {
  /** Nobody knows what a calendar says. */
  readonly isUnknown: boolean;
  readonly reason: string;
}

/** Why a schedule does not run at this time; undefined: it does. */
export function leftOutAt(
  timing: ScheduleTiming | undefined,
  book: CalendarBook | undefined,
  at: number,
): LeftOut | undefined {
  const { except = [], only = [] } = timing ?? {};
  const isOn = (name: string) => book?.stateAt(name, at)?.isOn;
  const forbids = except.find((name) => isOn(name) === true);
  if (forbids !== undefined) return { isUnknown: false, reason: `the calendar ${forbids} is on` };
  const isAllowed = only.length === 0 || only.some((name) => isOn(name) === true);
  const missing = [...except, ...(isAllowed ? [] : only)].find((name) => isOn(name) === undefined);
  if (missing !== undefined) return { isUnknown: true, reason: `nobody knows whether the calendar ${missing} is on` };
  return isAllowed ? undefined : { isUnknown: false, reason: `the calendar ${only.join(", ")} is off` };
}

/** So many times are looked at before it is said that there is none. */
const MOST_LOOKS = 10_000;

/** The next times at which the schedule runs, with its calendars as they are now. */
export async function comingTimes(
  needs: ScheduleTimeNeeds,
  schedule: Timed,
  { after, count }: { readonly after: number; readonly count: number },
): Promise<readonly number[]> {
  const next = await nextTimes(needs, schedule);
  const book = await calendarsOf(needs, schedule.timing);
  const times: number[] = [];
  let at = next(after);
  for (let looks = 0; at !== undefined && times.length < count && looks < MOST_LOOKS; looks += 1) {
    if (leftOutAt(schedule.timing, book, at) === undefined) times.push(at);
    at = next(at);
  }
  return times;
}
