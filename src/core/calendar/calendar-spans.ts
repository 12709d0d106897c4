// When a calendar is on, as spans of time: of a weekly plan, and of the entries of an iCalendar file.

import { firstMomentOf, localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { WEEKDAYS } from "#core/time/weekday.ts";
import type { IcalTime } from "./ical/ical-time.ts";
import type { IcalEntry } from "./ical/read-ical.ts";
import { dayOf, startsBetween } from "./ical/recurrence.ts";
import { type CalendarValue, MINUTES_OF_DAY, type WeeklyPlan } from "./site-calendar.ts";

/** From a moment up to another one, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly value: CalendarValue | undefined;
  readonly title: string | undefined;
}

/** All spans that touch [from, to), in any order, and perhaps some beyond. */
export type SpansIn = (from: number, to: number) => readonly Span[];

const MINUTE_MS = 60_000;

/** A time that the clocks skip is the next moment, and of a time that comes twice the first one counts. */
export function planSpans(plan: WeeklyPlan, timezone: string): SpansIn {
  const offset = localOffsets(timezone);
  return (from, to) => {
    const spans: Span[] = [];
    const last = dayOf(to + offset(to)) + DAY_MS;
    for (let day = dayOf(from + offset(from)) - 2 * DAY_MS; day <= last; day += DAY_MS) {
      // getUTCDay counts from Sunday.
      const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? "mon";
      for (const range of plan[weekday]) {
        const end = range.to > range.from ? range.to : range.to + MINUTES_OF_DAY;
        const start = firstMomentOf(timezone, day + range.from * MINUTE_MS);
        add(spans, {
          from: start,
          to: firstMomentOf(timezone, day + end * MINUTE_MS),
          value: range.value,
          title: undefined,
        });
      }
    }
    return spans;
  };
}

function add(spans: Span[], span: Span): void {
  if (span.to > span.from) spans.push(span);
}

export function entrySpans(entries: readonly IcalEntry[], timezone: string): SpansIn {
  const each = entries.map((entry) => spansOfEntry(entry, timezone));
  return (from, to) => each.flatMap((spansIn) => spansIn(from, to));
}

const nobodyCounts = () => {};

function spansOfEntry(entry: IcalEntry, timezone: string): SpansIn {
  const { start, daysMs, timeMs, rule, also, not, title } = entry;
  const zone = start.zone ?? timezone;
  const momentOf = (time: IcalTime) => firstMomentOf(time.zone ?? timezone, time.local);
  const notMoments = new Set(not.filter(({ isDate }) => isDate === start.isDate).map(momentOf));
  // Some programs leave out a day instead of a time.
  const notDays = new Set(not.filter(({ isDate }) => isDate && !start.isDate).map(({ local }) => local));
  const isLeftOut = (at: number) =>
    notMoments.has(at) || (notDays.size > 0 && notDays.has(dayOf(at + localOffsets(zone)(at))));
  const spanAt = (at: number, local: number): Span => ({
    from: at,
    to: (daysMs === 0 ? at : firstMomentOf(zone, local + daysMs)) + timeMs,
    value: undefined,
    title: title === "" ? undefined : title,
  });
  const singles: Span[] = [];
  for (const time of rule === undefined ? [start, ...also] : also) {
    const at = momentOf(time);
    if (!isLeftOut(at)) add(singles, spanAt(at, at + localOffsets(zone)(at)));
  }
  return (from, to) => {
    const spans = singles.filter((span) => span.to > from && span.from < to);
    if (rule === undefined || daysMs + timeMs === 0) return spans;
    const offset = localOffsets(zone);
    const window = { from: from + offset(from) - daysMs - timeMs - DAY_MS, to: to + offset(to) + DAY_MS };
    for (const local of startsBetween(rule, start.local, { ...window, spend: nobodyCounts })) {
      const at = firstMomentOf(zone, local);
      if (!isLeftOut(at)) add(spans, spanAt(at, local));
    }
    return spans;
  };
}

/**
 * In order, and without overlaps: where several spans hold, the one counts that began last. What goes on in the same way is one
 * span.
 */
export function flatten(spans: readonly Span[], { from, to }: Pick<Span, "from" | "to">): readonly Span[] {
  const sorted = [...spans].sort((a, b) => a.from - b.from || b.to - a.to);
  const flat: Span[] = [];
  const open: Span[] = [];
  let at = from;
  const goTo = (end: number) => {
    while (at < end) {
      const top = open.at(-1);
      if (top === undefined) break;
      if (top.to <= at) open.pop();
      else {
        const until = Math.min(top.to, end);
        append(flat, { ...top, from: at, to: until });
        at = until;
      }
    }
    at = Math.max(at, end);
  };
  for (const span of sorted) {
    if (span.to <= from || span.from >= to) continue;
    goTo(Math.max(span.from, from));
    open.push(span);
  }
  goTo(to);
  return flat;
}

function append(flat: Span[], span: Span): void {
  const before = flat.at(-1);
  if (before !== undefined && goesOn(before, span)) flat[flat.length - 1] = { ...before, to: span.to };
  else flat.push(span);
}

export const goesOn = (before: Span, next: Span): boolean =>
  before.to === next.from && before.value === next.value && before.title === next.title;

/** Both in order and without overlaps. */
export function without(spans: readonly Span[], holes: readonly Pick<Span, "from" | "to">[]): readonly Span[] {
  const left: Span[] = [];
  let next = 0;
  for (const span of spans) {
    let from = span.from;
    while ((holes[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1;
    for (let n = next; from < span.to; n += 1) {
      const hole = holes[n];
      if (hole === undefined || hole.from >= span.to) {
        left.push({ ...span, from });
        break;
      }
      if (hole.from > from) left.push({ ...span, from, to: hole.from });
      from = Math.max(from, hole.to);
    }
  }
  return left;
}
