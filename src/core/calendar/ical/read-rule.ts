// RRULE as text.

import { readTime } from "./ical-time.ts";
import { FREQUENCIES, type Frequency, type RecurrenceRule } from "./recurrence.ts";

const WEEKDAY_CODES = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const TOO_OFTEN = ["SECONDLY", "MINUTELY", "HOURLY"];
const MOST_TIMES_OF_DAY = 24;
const MOST_INTERVAL = 10_000;

interface Part {
  readonly name: string;
  readonly value: string;
}

type Numbers = readonly [least: number, most: number, isSigned: boolean];

const NUMBERS: Readonly<Record<string, Numbers>> = {
  BYMONTH: [1, 12, false],
  BYWEEKNO: [1, 53, true],
  BYYEARDAY: [1, 366, true],
  BYMONTHDAY: [1, 31, true],
  BYSETPOS: [1, 366, true],
  BYHOUR: [0, 23, false],
  BYMINUTE: [0, 59, false],
  BYSECOND: [0, 60, false],
};
const OTHERS = ["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY"];
const YEARLY_ALONE = ["BYWEEKNO", "BYYEARDAY"];

export interface RuleStart {
  readonly local: number;
  readonly isDate: boolean;
  /** A UTC time as the clock of the entry's zone. */
  readonly toLocal: (utc: number) => number;
}

/** A rule, or everything that is wrong with it. */
export function readRule(text: string, start: RuleStart): RecurrenceRule | readonly string[] {
  const problems: string[] = [];
  const parts = new Map<string, string>();
  for (const { name, value } of partsOf(text)) {
    if (NUMBERS[name] === undefined && !OTHERS.includes(name))
      problems.push(`RRULE has no part ${JSON.stringify(name.slice(0, 40))}`);
    if (parts.has(name)) problems.push(`RRULE has ${name.slice(0, 40)} twice`);
    parts.set(name, value);
  }
  const frequency = readFrequency(parts.get("FREQ"), problems);
  const read = (name: string) => readNumbers(name, parts.get(name), problems);
  const whole = (name: string, most: number) => readWhole(name, parts.get(name), { most, problems });
  const [hours, minutes, seconds] = [read("BYHOUR"), read("BYMINUTE"), read("BYSECOND")];
  const rule = {
    frequency: frequency ?? "DAILY",
    interval: whole("INTERVAL", MOST_INTERVAL) ?? 1,
    count: whole("COUNT", 1_000_000_000),
    untilLocal: readUntil(parts.get("UNTIL"), start, problems),
    weekStart: readWeekStart(parts.get("WKST"), problems),
    months: read("BYMONTH"),
    weeks: read("BYWEEKNO"),
    yearDays: read("BYYEARDAY"),
    monthDays: read("BYMONTHDAY"),
    weekdays: readWeekdays(parts.get("BYDAY"), frequency, problems),
    times: start.isDate ? [] : timesOf(start.local, { hours, minutes, seconds }),
    positions: read("BYSETPOS"),
  };
  if (rule.times.length > MOST_TIMES_OF_DAY) problems.push(`RRULE begins more than ${MOST_TIMES_OF_DAY} times a day`);
  if (parts.has("COUNT") && parts.has("UNTIL")) problems.push("RRULE has COUNT and UNTIL; it may have one of them");
  for (const name of YEARLY_ALONE)
    if (parts.has(name) && frequency !== undefined && frequency !== "YEARLY")
      problems.push(`${name} goes with FREQ=YEARLY alone`);
  return problems.length > 0 ? problems : rule;
}

const partsOf = (text: string): readonly Part[] =>
  text
    .split(";", 50)
    .filter((part) => part !== "")
    .map((part) => {
      const [name = "", ...rest] = part.split("=");
      return { name: name.toUpperCase().trim(), value: rest.join("=").toUpperCase().trim() };
    });

function readFrequency(given: string | undefined, problems: string[]): Frequency | undefined {
  const found = FREQUENCIES.find((one) => one === given);
  if (found !== undefined) return found;
  if (given === undefined) problems.push("RRULE has no FREQ");
  else if (TOO_OFTEN.includes(given))
    problems.push(
      `FREQ=${given} is not supported: entries begin at most ${MOST_TIMES_OF_DAY} times a day, by FREQ=DAILY and BYHOUR`,
    );
  else problems.push(`FREQ must be one of ${FREQUENCIES.join(", ")}, not ${JSON.stringify(given.slice(0, 40))}`);
  return undefined;
}

function readWhole(
  name: string,
  given: string | undefined,
  { most, problems }: { readonly most: number; readonly problems: string[] },
): number | undefined {
  if (given === undefined) return undefined;
  const value = /^\d{1,10}$/.test(given) ? Number(given) : 0;
  if (value >= 1 && value <= most) return value;
  problems.push(`${name} must be a whole number from 1 to ${most}`);
  return undefined;
}

function readNumbers(name: string, given: string | undefined, problems: string[]): readonly number[] {
  const bounds = NUMBERS[name];
  if (given === undefined || bounds === undefined) return [];
  const [least, most, isSigned] = bounds;
  const numbers = given.split(",", 400).map((one) => (/^[+-]?\d{1,3}$/.test(one) ? Number(one) : Number.NaN));
  const isRight = (one: number) =>
    (isSigned ? Math.abs(one) : one) >= least && (isSigned ? Math.abs(one) : one) <= most;
  if (numbers.every(isRight)) return [...new Set(numbers)];
  problems.push(`${name} must be numbers from ${least} to ${most}${isSigned ? ", or from the end with a minus" : ""}`);
  return [];
}

function readWeekdays(
  given: string | undefined,
  frequency: Frequency | undefined,
  problems: string[],
): RecurrenceRule["weekdays"] {
  if (given === undefined) return [];
  const found = given.split(",", 400).map((one) => {
    const [, nth = "0", code = ""] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(one) ?? [];
    return { weekday: WEEKDAY_CODES.indexOf(code), nth: Number(nth) };
  });
  if (found.some(({ weekday, nth }) => weekday < 0 || Math.abs(nth) > 53)) {
    problems.push("BYDAY must be weekdays such as MO,TU or, of a month or year, 1MO or -1FR");
    return [];
  }
  const isNth = found.some(({ nth }) => nth !== 0);
  if (isNth && (frequency === "DAILY" || frequency === "WEEKLY"))
    problems.push("BYDAY with a number goes with FREQ=MONTHLY and FREQ=YEARLY alone");
  return found;
}

function readWeekStart(given: string | undefined, problems: string[]): number {
  const found = WEEKDAY_CODES.indexOf(given ?? "MO");
  if (found < 0) problems.push("WKST must be a weekday such as MO");
  return Math.max(found, 0);
}

function readUntil(given: string | undefined, start: RuleStart, problems: string[]): number {
  if (given === undefined) return Number.POSITIVE_INFINITY;
  // Whatever is beyond the years that are known never ends.
  if (/^[2-9]\d{3}\d{4}/.test(given) && Number(given.slice(0, 4)) > 2200) return Number.POSITIVE_INFINITY;
  const time = readTime(given, undefined);
  if (typeof time === "string") {
    problems.push(`UNTIL: ${time}`);
    return Number.POSITIVE_INFINITY;
  }
  if (time.isDate) return time.local + 86_399_999;
  return time.zone === "UTC" ? start.toLocal(time.local) : time.local;
}

function timesOf(
  start: number,
  given: {
    readonly hours: readonly number[];
    readonly minutes: readonly number[];
    readonly seconds: readonly number[];
  },
): readonly number[] {
  const date = new Date(start);
  const or = (numbers: readonly number[], own: number) => (numbers.length > 0 ? numbers : [own]);
  const times = new Set<number>();
  for (const hour of or(given.hours, date.getUTCHours()))
    for (const minute of or(given.minutes, date.getUTCMinutes()))
      for (const second of or(given.seconds, date.getUTCSeconds()))
        if (times.size <= MOST_TIMES_OF_DAY) times.add(((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1_000);
  return [...times].sort((a, b) => a - b);
}
