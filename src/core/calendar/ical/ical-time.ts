// Times and durations of iCalendar (RFC 5545, sections 3.3.4 to 3.3.6).
import { isTimezone } from "#core/site/timezone.ts";
import { DAY_MS } from "#core/time/hour.ts";
import type { ContentLine } from "./content-lines.ts";
import { windowsZone } from "./windows-zones.ts";

export interface IcalTime {
  /** Milliseconds that a UTC clock would show the same way. */
  readonly local: number;
  readonly isDate: boolean;
  /** An IANA name. Undefined: whatever the clock of the calendar is. */
  readonly zone: string | undefined;
}

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/;
const [EARLIEST_YEAR, LATEST_YEAR] = [1900, 2200];

/** A text says what is wrong. */
export function readTime(text: string, zone: string | undefined): IcalTime | string {
  const match = TIME.exec(text);
  const shown = JSON.stringify(text.slice(0, 40));
  if (match === null) return `${shown} is no date such as 20261224 and no time such as 20261224T180000`;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((one) => Number(one ?? 0));
  if (year < EARLIEST_YEAR || year > LATEST_YEAR)
    return `the year of ${shown} is not between ${EARLIEST_YEAR} and ${LATEST_YEAR}`;
  const local = Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59));
  const date = new Date(local);
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second <= 60;
  if (!isReal) return `${shown} does not exist`;
  const isDate = match[4] === undefined;
  return { local, isDate, zone: isDate ? undefined : match[7] === "Z" ? "UTC" : zone };
}

const DURATION = /^([+-])?P(?:(\d{1,5})W|(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$/;

export interface IcalLength {
  /** Whole days on the clock, and a time that passes. */
  readonly daysMs: number;
  readonly timeMs: number;
}

export function readLength(text: string): IcalLength | undefined {
  const match = DURATION.exec(text);
  if (match === null || !/\d/.test(text)) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((one) => Number(one ?? 0));
  const length = { daysMs: (weeks * 7 + days) * DAY_MS, timeMs: ((hours * 60 + minutes) * 60 + seconds) * 1_000 };
  return match[1] === "-" && length.daysMs + length.timeMs > 0 ? undefined : length;
}

/** The zone of a line, by the names that zones have in the file. A text in `problem` says that nobody knows it. */
export function zoneOf(
  { parameters }: Pick<ContentLine, "parameters">,
  known: ReadonlyMap<string, string>,
): { readonly zone: string | undefined; readonly problem?: string } {
  const name = parameters.get("TZID");
  if (name === undefined) return { zone: undefined };
  const zone = known.get(name) ?? ianaName(name);
  if (zone !== undefined) return { zone };
  const shown = JSON.stringify(name.slice(0, 80));
  return { zone: undefined, problem: `the time zone ${shown} is unknown; names such as Europe/Berlin are known` };
}

/** Some programs put a name of their own in front: /example.org/Europe/Berlin. */
export function ianaName(given: string): string | undefined {
  const name = given.trim();
  if (name.length > 200) return undefined;
  const parts = name.split("/").filter((part) => part !== "");
  const candidates = [name, parts.slice(-3).join("/"), parts.slice(-2).join("/")];
  return candidates.find((one) => one.length <= 60 && isTimezone(one)) ?? windowsZone(name);
}
