// Reads an iCalendar text into entries, and reports everything that is wrong with it, with lines. The text may come from anybody:
// all loops are bounded, and what a rule may cost is known before it is accepted.
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { type ContentLine, contentLines, MOST_ICAL_LINES, textOf } from "./content-lines.ts";
import { type IcalTime, ianaName, readLength, readTime, zoneOf } from "./ical-time.ts";
import { readRule } from "./read-rule.ts";
import { completeRule, type RecurrenceRule, startsBetween } from "./recurrence.ts";

export interface IcalEntry {
  readonly title: string;
  readonly start: IcalTime;
  /** Days on the clock, and a time that passes. */
  readonly daysMs: number;
  readonly timeMs: number;
  /** Undefined: it does not recur. */
  readonly rule: RecurrenceRule | undefined;
  readonly also: readonly IcalTime[];
  readonly not: readonly IcalTime[];
}

export interface IcalProblem {
  readonly line: number;
  readonly message: string;
}

export interface IcalFile {
  readonly entries: readonly IcalEntry[];
  readonly problems: readonly IcalProblem[];
}

const MOST_ICAL_PROBLEMS = 100;
const MOST_ICAL_EVENTS = 2_000;
const MOST_ICAL_RULES = 300;
/** RDATE and EXDATE of all entries, and starts that others stand in for. */
const MOST_ICAL_DATES = 5_000;
const MOST_ICAL_ZONES = 100;
/** Zones of times. Whoever asks the calendar has to know their clocks. */
const MOST_USED_ZONES = 20;
/** Days that are looked at to find out what is on within four weeks, for all entries that recur. */
const MOST_DAYS = 15_000;
/** How often entries that recur may begin on one day, all together. */
const MOST_STARTS_A_DAY = 500;
const DEEPEST = 5;
const LONGEST_TITLE = 200;
/** Days that are looked at to find the last start of rules with COUNT. */
const MOST_COUNTED_DAYS = 300_000;

interface Event {
  readonly line: number;
  readonly lines: readonly ContentLine[];
}

interface Reading {
  readonly problems: IcalProblem[];
  readonly zones: Map<string, string>;
  readonly usedZones: Set<string>;
  /** Of times that name no zone. */
  readonly timezone: string;
  dates: number;
  rules: number;
  startsADay: number;
  days: number;
  namedZones: number;
  countedDays: number;
}

export function readIcal(text: string, timezone: string): IcalFile {
  const reading: Reading = {
    ...{
      problems: [],
      zones: new Map(),
      usedZones: new Set(),
      timezone,
      dates: 0,
      rules: 0,
      startsADay: 0,
      days: 0,
      namedZones: 0,
      countedDays: 0,
    },
  };
  const events = readEvents(reading, text);
  const entries = reading.problems.length >= MOST_ICAL_PROBLEMS ? [] : entriesOf(reading, events);
  const problems = reading.problems.sort((a, b) => a.line - b.line).slice(0, MOST_ICAL_PROBLEMS);
  return { entries: problems.length > 0 ? [] : entries, problems };
}

function report(reading: Reading, line: number, message: string): undefined {
  if (reading.problems.length < MOST_ICAL_PROBLEMS) reading.problems.push({ line, message });
  return undefined;
}

interface Open {
  readonly name: string;
  readonly line: number;
  readonly lines: ContentLine[];
}

/** The components VEVENT, and the names of zones. Other components are left out. */
function readEvents(reading: Reading, text: string): readonly Event[] {
  const events: Event[] = [];
  const open: Open[] = [];
  let calendars = 0;
  for (const { line, read } of contentLines(text)) {
    if (reading.problems.length >= MOST_ICAL_PROBLEMS) break;
    if (line > MOST_ICAL_LINES) {
      report(reading, line, `an iCalendar text has at most ${MOST_ICAL_LINES} lines`);
      return events;
    }
    const inside = open.at(-1);
    if (read === undefined) report(reading, line, "this is no line of iCalendar: NAME:value");
    else if (read.name === "BEGIN") {
      const name = read.value.trim().toUpperCase();
      if (open.length === 0 && name !== "VCALENDAR")
        report(reading, line, "an iCalendar text begins with BEGIN:VCALENDAR");
      if (open.length === 0) calendars += 1;
      if (open.length >= DEEPEST) {
        report(reading, line, `components are nested more than ${DEEPEST} deep`);
        return events;
      }
      open.push({ name, line, lines: [] });
    } else if (read.name === "END") {
      if (inside === undefined || inside.name !== read.value.trim().toUpperCase()) {
        report(
          reading,
          line,
          inside === undefined
            ? "nothing is open here"
            : `END:${inside.name} is missing; line ${inside.line} begins it`,
        );
        return events;
      }
      open.pop();
      close(reading, events, inside);
    } else if (inside === undefined) report(reading, line, "this line is outside of BEGIN:VCALENDAR and END:VCALENDAR");
    else inside.lines.push(read);
  }
  const [unfinished] = open;
  if (unfinished !== undefined) report(reading, unfinished.line, `BEGIN:${unfinished.name.slice(0, 40)} has no END`);
  if (calendars === 0 && reading.problems.length === 0)
    report(reading, 1, "an iCalendar text begins with BEGIN:VCALENDAR");
  if (events.length > MOST_ICAL_EVENTS)
    report(reading, events[MOST_ICAL_EVENTS]?.line ?? 1, `a calendar has at most ${MOST_ICAL_EVENTS} entries`);
  return events;
}

function close(reading: Reading, events: Event[], { name, line, lines }: Open): void {
  if (name === "VEVENT" && events.length <= MOST_ICAL_EVENTS) events.push({ line, lines });
  if (name !== "VTIMEZONE") return;
  reading.namedZones += 1;
  if (reading.namedZones === MOST_ICAL_ZONES + 1)
    report(reading, line, `a calendar has at most ${MOST_ICAL_ZONES} VTIMEZONE`);
  if (reading.namedZones > MOST_ICAL_ZONES) return;
  const textIn = (wanted: string) => lines.find((one) => one.name === wanted)?.value;
  const id = textIn("TZID");
  const place = textIn("X-LIC-LOCATION");
  const zone = ianaName(id ?? "") ?? ianaName(place ?? "");
  if (id !== undefined && zone !== undefined) reading.zones.set(id, zone);
}

interface Read {
  readonly line: number;
  readonly uid: string;
  /** The start that it stands in for. */
  readonly replaces: IcalTime | undefined;
  readonly isCancelled: boolean;
  /** Periods of RDATE are entries of their own. */
  readonly entries: readonly IcalEntry[];
}

function entriesOf(reading: Reading, events: readonly Event[]): readonly IcalEntry[] {
  const read = events.flatMap((event) => {
    const found = reading.problems.length < MOST_ICAL_PROBLEMS ? readEvent(reading, event) : undefined;
    return found === undefined ? [] : [found];
  });
  const replaced = new Map<string, IcalTime[]>();
  for (const { uid, replaces } of read) {
    if (replaces !== undefined) replaced.set(uid, [...(replaced.get(uid) ?? []), replaces]);
  }
  return read.flatMap(({ line, uid, replaces, isCancelled, entries }) => {
    if (isCancelled) return [];
    if (replaces !== undefined) return entries;
    const not = replaced.get(uid) ?? [];
    // Several entries may share a UID, and each would have them all.
    if (!takeDates(reading, line, not.length * entries.length)) return [];
    return entries.map((entry) => (not.length === 0 ? entry : { ...entry, not: [...entry.not, ...not] }));
  });
}

function readEvent(reading: Reading, { line, lines }: Event): Read | undefined {
  const all = (name: string) => lines.filter((one) => one.name === name);
  const [startLine] = all("DTSTART");
  const [replacesLine] = all("RECURRENCE-ID");
  const isCancelled = all("STATUS").some(({ value }) => value.trim().toUpperCase() === "CANCELLED");
  const uid = all("UID")[0]?.value ?? `line ${line}`;
  if (replacesLine?.parameters.get("RANGE") !== undefined)
    report(reading, replacesLine.line, "RECURRENCE-ID with RANGE is not supported; give each entry its own");
  if (all("EXRULE")[0] !== undefined)
    report(reading, all("EXRULE")[0]?.line ?? line, "EXRULE is not supported; use EXDATE");
  const replaces = replacesLine && timeOf(reading, replacesLine, replacesLine.value);
  if (isCancelled && replaces !== undefined) return { line, uid, replaces, isCancelled, entries: [] };
  if (startLine === undefined) return report(reading, line, "the entry has no DTSTART");
  const start = timeOf(reading, startLine, startLine.value);
  if (start === undefined) return undefined;
  const length = lengthOf(reading, start, { end: all("DTEND")[0], duration: all("DURATION")[0] });
  if (length === undefined) return undefined;
  const dates = datesOf(reading, all("RDATE"));
  const base = {
    title: textOf(all("SUMMARY")[0]?.value ?? "")
      .trim()
      .slice(0, LONGEST_TITLE),
    start,
    ...length,
  };
  const rule = ruleOf(reading, all("RRULE"), base);
  const not = datesOf(reading, all("EXDATE")).map(({ time }) => time);
  const also = dates.filter(({ length: own }) => own === undefined).map(({ time }) => time);
  const periods = dates.flatMap(({ time, length: own }) =>
    own === undefined ? [] : [{ ...base, ...own, start: time, rule: undefined, also: [], not: [] }],
  );
  return { line, uid, replaces, isCancelled, entries: [{ ...base, rule, also, not }, ...periods] };
}

function timeOf(reading: Reading, line: ContentLine, value: string): IcalTime | undefined {
  const { zone, problem } = zoneOf(line, reading.zones);
  if (problem !== undefined) return report(reading, line.line, problem);
  if (zone !== undefined && !isZoneLeft(reading, zone)) {
    return report(reading, line.line, `times of a calendar are in at most ${MOST_USED_ZONES} time zones`);
  }
  const time = readTime(value.trim(), zone);
  return typeof time === "string" ? report(reading, line.line, time) : time;
}

function isZoneLeft({ usedZones }: Reading, zone: string): boolean {
  if (usedZones.size < MOST_USED_ZONES) usedZones.add(zone);
  return usedZones.has(zone);
}

type Length = Pick<IcalEntry, "daysMs" | "timeMs">;

function lengthOf(
  reading: Reading,
  start: IcalTime,
  { end, duration }: { readonly end: ContentLine | undefined; readonly duration: ContentLine | undefined },
): Length | undefined {
  if (duration !== undefined) {
    if (end !== undefined)
      return report(reading, duration.line, "the entry has DTEND and DURATION; it may have one of them");
    return (
      readLength(duration.value.trim()) ??
      report(reading, duration.line, "DURATION must be a length such as PT8H or P1D")
    );
  }
  if (end === undefined) return { daysMs: start.isDate ? DAY_MS : 0, timeMs: 0 };
  const time = timeOf(reading, end, end.value);
  if (time === undefined) return undefined;
  if (time.isDate !== start.isDate)
    return report(reading, end.line, "DTSTART and DTEND must both be dates, or both be times");
  return lengthTo(reading, start, time) ?? report(reading, end.line, "the entry ends before it begins");
}

/** By the clock of the start: an entry from 22:00 to 6:00 ends at 6:00 also in the night when the clocks change. */
function lengthTo(reading: Reading, start: IcalTime, end: IcalTime): Length | undefined {
  const isSame = end.zone === start.zone;
  const local = isSame ? end.local : toLocal(reading, start.zone)(toUtc(reading, end));
  return local < start.local ? undefined : { daysMs: local - start.local, timeMs: 0 };
}

const toLocal =
  ({ timezone }: Reading, zone: string | undefined) =>
  (utc: number) =>
    utc + localOffsets(zone ?? timezone)(utc);

function toUtc({ timezone }: Reading, { local, zone }: IcalTime): number {
  const offset = localOffsets(zone ?? timezone);
  return local - offset(local - offset(local));
}

/** False: there are too many, which is reported once. */
function takeDates(reading: Reading, line: number, count: number): boolean {
  const before = reading.dates;
  reading.dates += count;
  if (reading.dates <= MOST_ICAL_DATES) return true;
  if (before <= MOST_ICAL_DATES)
    report(reading, line, `a calendar has at most ${MOST_ICAL_DATES} dates in RDATE and EXDATE`);
  return false;
}

interface Dated {
  readonly time: IcalTime;
  readonly length: Length | undefined;
}

function datesOf(reading: Reading, lines: readonly ContentLine[]): readonly Dated[] {
  return lines.flatMap((line) =>
    line.value.split(",").flatMap((text): readonly Dated[] => {
      if (!takeDates(reading, line.line, 1)) return [];
      const [from = "", to] = text.split("/");
      const time = timeOf(reading, line, from);
      if (time === undefined || to === undefined) return time === undefined ? [] : [{ time, length: undefined }];
      const end = to.startsWith("P") ? undefined : timeOf(reading, line, to);
      const length = end === undefined ? readLength(to.trim()) : lengthTo(reading, time, end);
      if (length === undefined) report(reading, line.line, `${JSON.stringify(text.slice(0, 60))} is no period`);
      return length === undefined ? [] : [{ time, length }];
    }),
  );
}

const LONGEST_RECURRING: Readonly<Record<RecurrenceRule["frequency"], number>> = {
  DAILY: 31 * DAY_MS,
  WEEKLY: 31 * DAY_MS,
  MONTHLY: 366 * DAY_MS,
  YEARLY: 366 * DAY_MS,
};

function ruleOf(
  reading: Reading,
  [line, second]: readonly ContentLine[],
  { start, daysMs, timeMs }: Pick<IcalEntry, "start" | "daysMs" | "timeMs">,
): RecurrenceRule | undefined {
  if (line === undefined) return undefined;
  if (second !== undefined) return report(reading, second.line, "the entry has two RRULE; it may have one");
  const read = readRule(line.value, {
    local: start.local,
    isDate: start.isDate,
    toLocal: toLocal(reading, start.zone),
  });
  if (!("frequency" in read)) {
    for (const problem of read) report(reading, line.line, problem);
    return undefined;
  }
  const rule = completeRule(read, start.local);
  const longest = LONGEST_RECURRING[read.frequency];
  if (daysMs + timeMs > longest)
    return report(reading, line.line, `an entry with FREQ=${read.frequency} lasts at most ${longest / DAY_MS} days`);
  reading.rules += 1;
  reading.startsADay += rule.times.length;
  if (reading.rules === MOST_ICAL_RULES + 1)
    report(reading, line.line, `a calendar has at most ${MOST_ICAL_RULES} entries that recur`);
  if (reading.startsADay > MOST_STARTS_A_DAY && reading.startsADay - rule.times.length <= MOST_STARTS_A_DAY)
    report(reading, line.line, `entries that recur begin at most ${MOST_STARTS_A_DAY} times on one day`);
  const before = reading.days;
  reading.days += rule.positions.length > 0 ? WHOLE_PERIODS : 31 + Math.ceil((daysMs + timeMs) / DAY_MS);
  if (reading.days > MOST_DAYS && before <= MOST_DAYS)
    report(reading, line.line, "the entries that recur take too long to work out; use fewer of them, or shorter ones");
  return withLastStart(reading, rule, { line: line.line, start: start.local });
}

/** A rule with BYSETPOS looks at all days of its years. */
const WHOLE_PERIODS = 800;

class CountedTooLong extends Error {}

/** COUNT becomes the time of the last start, so that nobody has to count again. */
function withLastStart(
  reading: Reading,
  rule: RecurrenceRule,
  { line, start }: { readonly line: number; readonly start: number },
): RecurrenceRule | undefined {
  if (rule.count === undefined) return rule;
  const spend = () => {
    reading.countedDays += 1;
    if (reading.countedDays > MOST_COUNTED_DAYS) throw new CountedTooLong();
  };
  let [left, last] = [rule.count, Number.NEGATIVE_INFINITY];
  try {
    for (const at of startsBetween(rule, start, { from: start, to: NEVER, spend })) {
      last = at;
      left -= 1;
      if (left === 0) break;
    }
  } catch (error) {
    if (error instanceof CountedTooLong) return report(reading, line, "COUNT takes too long to work out; use UNTIL");
    throw error;
  }
  return { ...rule, count: undefined, untilLocal: last };
}

const NEVER = Date.UTC(2300, 0, 1);
