// Days, weeks, months and years as the clocks of a time zone show them. A bucket begins at the first moment at which
// the local clock shows its first midnight or later: where clocks skip midnight it begins when they go on, where midnight
// comes twice it begins at the first one, and a day that a zone left out has no bucket.
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import type { BucketGrid, GridBucket } from "./bucket-grid.ts";

export const CALENDAR_UNITS = ["day", "week", "month", "year"] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/** Plain data: it travels between threads. */
export interface Calendar {
  readonly unit: CalendarUnit;
  /** An IANA name. */
  readonly timezone: string;
}

/** No zone was ever further from UTC. */
const FARTHEST_MS = 17 * HOUR_MS;

/** No bucket of a unit is shorter. Clocks have been put forward by two hours at once, by three never. */
export const SHORTEST_MS: Readonly<Record<CalendarUnit, number>> = {
  day: 21 * HOUR_MS,
  week: 7 * DAY_MS - 27 * HOUR_MS,
  month: 28 * DAY_MS - 27 * HOUR_MS,
  year: 365 * DAY_MS - 27 * HOUR_MS,
};

export function calendarGrid({ unit, timezone }: Calendar): BucketGrid {
  const clock = createLocalClock(timezone);
  /** The bucket of the last question: most questions are about the same or the next one. */
  let known: GridBucket = { start: Number.NaN, end: Number.NaN };
  const find = (at: number): GridBucket => {
    const local = localStart(unit, clock.localAt(at));
    let [start, next] = [clock.firstAt(local), nextStart(unit, local)];
    let end = clock.firstAt(next);
    // Clocks that were put back past midnight show the day before once more, and a day that was left out is empty.
    while (end <= at) {
      next = nextStart(unit, next);
      [start, end] = [end, clock.firstAt(next)];
    }
    return { start, end };
  };
  return {
    bucketAt(at) {
      if (!(at >= known.start && at < known.end)) known = find(at);
      return known;
    },
  };
}

/** The first moment at which the clocks of the zone show this local time or a later one, given as a UTC clock shows it. */
export function firstMomentOf(timezone: string, local: number): number {
  return createLocalClock(timezone).firstAt(local);
}

/** Milliseconds from UTC to the zone's clock. The answer is quick for moments near those that were asked about before. */
export function localOffsets(timezone: string): (at: number) => number {
  return zoneOf(timezone);
}

/** Local times are milliseconds that a UTC clock would show the same way. */
interface LocalClock {
  localAt(at: number): number;
  /** The first moment at which the clock shows this time or a later one. */
  firstAt(local: number): number;
}

/** Milliseconds from UTC to the zone's clock. */
type OffsetAt = (at: number) => number;

/**
 * Making one costs as much as a hundred uses of it, so those that were used last are kept, in two halves: a full one becomes the older
 * one, and what was in that and is not asked for again is forgotten. Nobody can fill it up for others.
 */
let [zones, olderZones] = [new Map<string, OffsetAt>(), new Map<string, OffsetAt>()];
const MAX_ZONES = 100;
/** Days of a zone whose offsets are remembered: a year of a site asks for each of its days several times. */
const MAX_DAYS = 2_000;

function zoneOf(timezone: string): OffsetAt {
  const known = zones.get(timezone);
  if (known !== undefined) return known;
  const offsetAt = olderZones.get(timezone) ?? createOffsets(createFormat(timezone));
  if (zones.size >= MAX_ZONES) [zones, olderZones] = [new Map(), zones];
  zones.set(timezone, offsetAt);
  return offsetAt;
}

/** Clocks never change twice within a day: where both of its ends agree, all of it does. */
function createOffsets(format: Intl.DateTimeFormat): OffsetAt {
  const exact = (at: number): number => {
    const whole = Math.floor(at / 1_000) * 1_000;
    return readLocal(format.formatToParts(whole)) - whole;
  };
  const days = new Map<number, number>();
  const atStart = (day: number): number => {
    const known = days.get(day);
    if (known !== undefined) return known;
    const found = exact(day * DAY_MS);
    if (days.size >= MAX_DAYS) days.clear();
    days.set(day, found);
    return found;
  };
  let [today, first, last] = [Number.NaN, 0, 0];
  return (at) => {
    const day = Math.floor(at / DAY_MS);
    if (day !== today) [today, first, last] = [day, atStart(day), atStart(day + 1)];
    return first === last ? first : exact(at);
  };
}

function createFormat(timezone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

function createLocalClock(timezone: string): LocalClock {
  const offsetAt = zoneOf(timezone);
  return {
    localAt: (at) => at + offsetAt(at),
    firstAt(local) {
      let [low, high] = [local - FARTHEST_MS, local + FARTHEST_MS];
      const [before, after] = [offsetAt(low), offsetAt(high)];
      if (before === after) return local - before;
      // The clocks change in between: the first millisecond with another offset.
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (offsetAt(middle) === before) low = middle;
        else high = middle;
      }
      return local - before < high ? local - before : Math.max(high, local - after);
    },
  };
}

function readLocal(parts: readonly Intl.DateTimeFormatPart[]): number {
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
  const year = Number(of("year"));
  const date = new Date(0);
  date.setUTCFullYear(of("era").startsWith("B") ? 1 - year : year, Number(of("month")) - 1, Number(of("day")));
  return date.setUTCHours(Number(of("hour")), Number(of("minute")), Number(of("second")));
}

/** The local midnight at which the unit begins that this local time lies in. */
function localStart(unit: CalendarUnit, local: number): number {
  const date = new Date(local);
  const day = Math.floor(local / DAY_MS) * DAY_MS;
  if (unit === "day") return day;
  // getUTCDay counts from Sunday; weeks begin on Monday.
  if (unit === "week") return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return monthStart(date.getUTCFullYear(), unit === "month" ? date.getUTCMonth() : 0);
}

function nextStart(unit: CalendarUnit, start: number): number {
  if (unit === "day") return start + DAY_MS;
  if (unit === "week") return start + 7 * DAY_MS;
  const date = new Date(start);
  return monthStart(date.getUTCFullYear(), date.getUTCMonth() + (unit === "month" ? 1 : 12));
}

/** Date.UTC would read the years 0 to 99 as 1900 to 1999. */
function monthStart(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}
