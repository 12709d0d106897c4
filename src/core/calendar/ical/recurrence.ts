// The starts of a recurring entry (RFC 5545, section 3.3.10), on the clock of its zone. Each period, such as a month, has days that
// pass all parts of the rule, and each of these days has times.
import { DAY_MS } from "#core/time/hour.ts";

export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

interface WeekdayPart {
  /** 0 is Sunday, as in Date. */
  readonly weekday: number;
  /** The first, or with -1 the last of the month or year. 0: each. */
  readonly nth: number;
}

export interface RecurrenceRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  /** The last local time at which an entry may start. */
  readonly untilLocal: number;
  readonly weekStart: number;
  readonly months: readonly number[];
  readonly weeks: readonly number[];
  readonly yearDays: readonly number[];
  readonly monthDays: readonly number[];
  readonly weekdays: readonly WeekdayPart[];
  /** Milliseconds of the local day, in order. */
  readonly times: readonly number[];
  readonly positions: readonly number[];
}

/** Fills in what a rule takes from its first start. */
export function completeRule(rule: RecurrenceRule, start: number): RecurrenceRule {
  const date = new Date(start);
  const { frequency, months, weeks, yearDays, monthDays, weekdays } = rule;
  const times = rule.times.length > 0 ? rule.times : [start - dayOf(start)];
  const hasDay = weekdays.length + monthDays.length + yearDays.length > 0;
  const weekday = [{ weekday: date.getUTCDay(), nth: 0 }];
  if (frequency === "WEEKLY") return { ...rule, times, weekdays: weekdays.length > 0 ? weekdays : weekday };
  // Each day is each day of each month, and months are quicker to go through.
  const isEachDay = frequency === "DAILY" && rule.interval === 1 && rule.positions.length === 0;
  if (isEachDay) return { ...rule, times, frequency: "MONTHLY" };
  if (frequency === "DAILY" || hasDay) return { ...rule, times };
  if (weeks.length > 0) return { ...rule, times, weekdays: weekday };
  const month = frequency === "YEARLY" && months.length === 0 ? [date.getUTCMonth() + 1] : months;
  return { ...rule, times, months: month, monthDays: [date.getUTCDate()] };
}

/** Starts in [from, to), in order. `spend` is called for each day that is looked at, and may throw. */
export function* startsBetween(
  rule: RecurrenceRule,
  start: number,
  { from, to, spend }: { readonly from: number; readonly to: number; readonly spend: () => void },
): Generator<number> {
  const first = Math.max(from, start);
  const last = Math.min(to - 1, rule.untilLocal);
  for (let n = periodAt(rule, start, first); ; n += 1) {
    const period = periodOf(rule, start, n);
    if (period.first > last) return;
    for (const at of startsIn(rule, period, { first, last, spend })) {
      if (at > last) return;
      if (at >= first) yield at;
    }
  }
}

interface Period {
  readonly first: number;
  /** The day after its last one. */
  readonly end: number;
}

export const dayOf = (local: number): number => Math.floor(local / DAY_MS) * DAY_MS;
const monthStart = (months: number): number => Date.UTC(Math.floor(months / 12), ((months % 12) + 12) % 12, 1);
const monthsOf = (local: number): number => new Date(local).getUTCFullYear() * 12 + new Date(local).getUTCMonth();
const yearOf = (local: number): number => new Date(local).getUTCFullYear();

function weekOf(local: number, weekStart: number): number {
  const day = dayOf(local);
  return day - ((weekdayOf(day) - weekStart + 7) % 7) * DAY_MS;
}

/** The number of the period at this time or, between two periods, of the one before. */
function periodAt({ frequency, interval, weekStart }: RecurrenceRule, start: number, at: number): number {
  const passed = {
    DAILY: () => (dayOf(at) - dayOf(start)) / DAY_MS,
    WEEKLY: () => (weekOf(at, weekStart) - weekOf(start, weekStart)) / (7 * DAY_MS),
    MONTHLY: () => monthsOf(at) - monthsOf(start),
    YEARLY: () => yearOf(at) - yearOf(start),
  };
  return Math.floor(passed[frequency]() / interval);
}

function periodOf({ frequency, interval, weekStart }: RecurrenceRule, start: number, n: number): Period {
  const step = n * interval;
  if (frequency === "DAILY" || frequency === "WEEKLY") {
    const length = frequency === "DAILY" ? DAY_MS : 7 * DAY_MS;
    const first = (frequency === "DAILY" ? dayOf(start) : weekOf(start, weekStart)) + step * length;
    return { first, end: first + length };
  }
  const [months, length] = frequency === "MONTHLY" ? [monthsOf(start), 1] : [yearOf(start) * 12, 12];
  const first = months + step * length;
  return { first: monthStart(first), end: monthStart(first + length) };
}

interface Wanted {
  readonly first: number;
  readonly last: number;
  readonly spend: () => void;
}

function startsIn(rule: RecurrenceRule, period: Period, { first, last, spend }: Wanted): readonly number[] {
  const { months, positions, times } = rule;
  // What counts from the beginning or the end of a period needs all of it.
  const isWhole = positions.length > 0;
  const end = isWhole ? period.end : Math.min(period.end, last + 1);
  const starts: number[] = [];
  let month: Period = { first: Number.NaN, end: Number.NaN };
  for (let day = isWhole ? period.first : Math.max(period.first, dayOf(first)); day < end; day += DAY_MS) {
    spend();
    if (!(day < month.end)) month = monthOf(day);
    if (months.length > 0 && !months.includes(new Date(month.first).getUTCMonth() + 1)) {
      day = month.end - DAY_MS;
      continue;
    }
    if (isDayOf(rule, day, month)) for (const time of times) starts.push(day + time);
  }
  if (!isWhole) return starts;
  return starts.filter((_, n) => positions.includes(n + 1) || positions.includes(n - starts.length));
}

const monthOf = (day: number): Period => ({ first: monthStart(monthsOf(day)), end: monthStart(monthsOf(day) + 1) });
const yearSpan = (day: number): Period => ({
  first: Date.UTC(yearOf(day), 0, 1),
  end: Date.UTC(yearOf(day) + 1, 0, 1),
});
/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (((day / DAY_MS + 4) % 7) + 7) % 7;

/** Whether the day passes all parts, but those of months. */
function isDayOf(rule: RecurrenceRule, day: number, month: Period): boolean {
  const { weeks, yearDays, monthDays, weekdays } = rule;
  const weekday = weekdayOf(day);
  if (weekdays.length > 0 && !weekdays.some((part) => part.weekday === weekday)) return false;
  if (monthDays.length > 0 && !isOneOf(monthDays, day, month)) return false;
  if (yearDays.length > 0 && !isOneOf(yearDays, day, yearSpan(day))) return false;
  if (weeks.length > 0 && !isInWeek(rule, day)) return false;
  if (weekdays.every(({ nth }) => nth === 0)) return true;
  const span = rule.frequency === "YEARLY" && rule.months.length === 0 ? yearSpan(day) : month;
  return weekdays.some((part) => part.weekday === weekday && (part.nth === 0 || isNth(part.nth, day, span)));
}

/** Counted from 1, or from the end from -1. */
function isOneOf(numbers: readonly number[], day: number, { first, end }: Period): boolean {
  return numbers.includes((day - first) / DAY_MS + 1) || numbers.includes((day - end) / DAY_MS);
}

function isNth(nth: number, day: number, { first, end }: Period): boolean {
  const n =
    nth > 0 ? Math.floor((day - first) / (7 * DAY_MS)) + 1 : -Math.floor((end - DAY_MS - day) / (7 * DAY_MS)) - 1;
  return n === nth;
}

/** The first week of a year is the first with at least four of its days. */
function isInWeek({ weeks, weekStart }: RecurrenceRule, day: number): boolean {
  const week = weekOf(day, weekStart);
  // The middle of a week lies in the year that the week belongs to.
  const year = yearOf(week + 3 * DAY_MS);
  const first = weekOf(Date.UTC(year, 0, 4), weekStart);
  const next = weekOf(Date.UTC(year + 1, 0, 4), weekStart);
  return isOneOf(weeks, first + (week - first) / 7, { first, end: first + (next - first) / 7 });
}
