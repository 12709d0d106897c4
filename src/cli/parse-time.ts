import { parseDuration } from "#core/time/duration.ts";
import { instant, parseInstant, renderInstant } from "#core/time/instant.ts";
import { UsageError } from "./usage-error.ts";

/** For the help of options that take a time. */
export const TIME_WORDS = "now, -24h, today, yesterday, a day, RFC 3339, local time, or Unix seconds";

const DAY = /^\d{4}-\d\d-\d\d$/;
/** A time without a zone is that of this machine's clock. */
const LOCAL = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/** Unix milliseconds. */
export function parseTime(flag: string, text: string, now: number): number {
  if (text === "now") return now;
  if (text === "today") return midnight(now, 0);
  if (text === "yesterday") return midnight(now, -1);
  if (/^-?\d{1,11}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const ago = parseDuration(text.replace(/^-/, ""));
  if (ago !== undefined) return now - Number(ago / 1_000_000n);
  const moment = DAY.test(text) || LOCAL.test(text) ? parseLocal(text) : parseInstant(text);
  if (moment !== undefined) return moment;
  throw new UsageError(`${flag} must be ${TIME_WORDS}, not "${text}"`);
}

/** The same as RFC 3339. Undefined stays undefined. */
export function parseMoment(flag: string, text: string | undefined, now: number): string | undefined {
  return text === undefined ? undefined : renderInstant(instant(parseTime(flag, text, now)));
}

/** The beginning of a day of this machine's clock. */
function midnight(now: number, days: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime();
}

/** Undefined for a day or time that no calendar has, such as 2026-13-01. */
function parseLocal(text: string): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[-T :.]/).map(Number);
  const date = new Date(year, month - 1, day, hour, minute, second, Number(`0.${text.split(".").at(1) ?? 0}`) * 1000);
  const isReal = date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && minute < 60 && second < 60;
  return isReal ? date.getTime() : undefined;
}

/** Round lengths of time for buckets, in milliseconds. */
const STEPS: readonly (readonly [string, number])[] = [
  ["1s", 1],
  ["5s", 5],
  ["10s", 10],
  ["30s", 30],
  ["1m", 60],
  ["5m", 300],
  ["10m", 600],
  ["30m", 1_800],
  ["1h", 3_600],
  ["3h", 10_800],
  ["6h", 21_600],
  ["12h", 43_200],
  ["1d", 86_400],
  ["7d", 604_800],
  ["30d", 2_592_000],
  ["1y", 31_536_000],
];

/** The finest round granularity that gives at most this many buckets. */
export function granularityFor(lengthMs: number, buckets: number): string {
  const found = STEPS.find(([, seconds]) => lengthMs / (seconds * 1000) <= buckets);
  return found?.[0] ?? "1y";
}
