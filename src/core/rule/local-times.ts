// Times of day on the clock of a site, or by its sun. A time that the clocks skip is the next moment, and of a time that comes twice
// the first one counts.

import { firstMomentOf, localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { WEEKDAYS, type Weekday } from "#core/time/weekday.ts";
import type { Condition, DayTime, ScheduledMoment } from "./rule.ts";
import type { RuleWorld } from "./rule-world.ts";
import { type SunTimes, sunTimes } from "./sun-times.ts";

type Clock = Pick<RuleWorld, "timezone" | "location">;

/** In the far north the sun may not set for half a year. */
const MOST_DAYS = 200;

/** A local day is given as the UTC midnight of its date. */
const localDay = (timezone: string, at: number): number =>
  Math.floor((at + localOffsets(timezone)(at)) / DAY_MS) * DAY_MS;

function timeOn({ timezone, location }: Clock, time: DayTime, day: number): number | undefined {
  if (time.kind === "clock") return firstMomentOf(timezone, day + time.minutes * 60_000);
  if (location === undefined) return undefined;
  const at = sunOn(firstMomentOf(timezone, day + DAY_MS / 2), location)[time.event];
  return at === undefined ? undefined : at + time.offsetMs;
}

/** Rules ask for the same few days again and again. */
const known = new Map<string, SunTimes>();
const MOST_KNOWN = 1_000;

function sunOn(noon: number, location: NonNullable<Clock["location"]>): SunTimes {
  const key = `${noon} ${location.latitude} ${location.longitude}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const found = sunTimes(noon, location);
  known.set(key, found);
  return found;
}

const isOn = (days: readonly Weekday[] | undefined, day: number): boolean => {
  // getUTCDay counts from Sunday.
  const name = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7];
  return days === undefined || (name !== undefined && days.includes(name));
};

/** The first time of the moment after this one; undefined: there is none. */
export function nextOf(
  moment: ScheduledMoment,
  after: number,
  world: Clock & Pick<RuleWorld, "nextCron">,
): number | undefined {
  if (moment.kind === "every") return (Math.floor(after / moment.everyMs) + 1) * moment.everyMs;
  if (moment.kind === "cron") return world.nextCron(moment.expression, after);
  const first = localDay(world.timezone, after) - 2 * DAY_MS;
  for (let n = 0; n < MOST_DAYS; n += 1) {
    const day = first + n * DAY_MS;
    const at = isOn(moment.days, day) ? timeOn(world, moment.time, day) : undefined;
    if (at !== undefined && at > after) return at;
  }
  return undefined;
}

type TimeWindow = Extract<Condition, { readonly kind: "time" }>;

interface InWindow {
  /** Undefined: nobody knows where the sun is. */
  readonly isInside: boolean | undefined;
  /** The window that it is in: the one that began last. */
  readonly span: { readonly from: number; readonly to: number } | undefined;
  /** It stays so before this moment. */
  readonly until: number;
}

export function isInWindow(window: Pick<TimeWindow, "from" | "to" | "days">, now: number, clock: Clock): InWindow {
  const needsSun = window.from.kind === "sun" || window.to.kind === "sun";
  const today = localDay(clock.timezone, now);
  let until = today + 2 * DAY_MS;
  if (needsSun && clock.location === undefined) return { isInside: undefined, span: undefined, until };
  let span: InWindow["span"];
  let isMissing = false;
  for (let day = today - 2 * DAY_MS; day <= today + 2 * DAY_MS; day += DAY_MS) {
    if (!isOn(window.days, day)) continue;
    const [start, end] = boundsOn(window, day, clock);
    if (start === undefined || end === undefined) {
      isMissing ||= day === today;
      continue;
    }
    if (start <= now && now < end) span = { from: start, to: end };
    for (const edge of [start, end]) if (edge > now) until = Math.min(until, edge);
  }
  const isInside = span !== undefined;
  return { isInside: isInside || !isMissing ? isInside : undefined, span, until };
}

function boundsOn(
  { from, to }: Pick<TimeWindow, "from" | "to">,
  day: number,
  clock: Clock,
): readonly (number | undefined)[] {
  const start = timeOn(clock, from, day);
  const end = timeOn(clock, to, day);
  if (start === undefined || end === undefined || end > start) return [start, end];
  return [start, timeOn(clock, to, day + DAY_MS)];
}
