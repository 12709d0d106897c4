/** A time as Unix milliseconds, which may have a fraction: of telemetry, and bounds of what is kept in microseconds. */
export type FineTime = number & { readonly __unit: "unix ms" };

/**
 * A time as whole Unix milliseconds. Only the functions of this file make one, so that nothing else reaches a record:
 * PostgreSQL refuses a fraction where a column holds whole numbers.
 */
export type Instant = FineTime & { readonly __isWhole: true };

/** Years 0001 to 9999: what RFC 3339 can write. */
const EARLIEST = -62_135_596_800_000;
const LATEST = 253_402_300_799_999;
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The millisecond that contains this time. */
export function instant(unixMs: number): Instant {
  return Math.floor(unixMs) as Instant;
}

export function fineTime(unixMs: number): FineTime {
  return unixMs as FineTime;
}

/** Reads an RFC 3339 date-time with any offset; digits beyond milliseconds are cut off. */
export function parseInstant(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match;
  // A leap second (:60) is read as the second after it, as POSIX time does.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const inDay = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60 * (sign === "-" ? -1 : 1);
  const millis = Number((fraction ?? "").slice(0, 3).padEnd(3, "0"));
  const value = date.getTime() + (inDay - offset) * 1000 + millis;
  return value < EARLIEST || value > LATEST ? undefined : instant(value);
}

/**
 * Reads a bound of time: the first moment with this many decimals of a second that is not before it. So records of that
 * precision compare with the bound as if all its digits counted. Six decimals give fractions of a millisecond.
 */
export function parseBound(text: string, decimals: 6): FineTime | undefined;
export function parseBound(text: string, decimals?: 3): Instant | undefined;
export function parseBound(text: string, decimals: 3 | 6 = 3): FineTime | undefined {
  const cut = parseInstant(text);
  const fraction = RFC_3339.exec(text)?.[7] ?? "";
  if (cut === undefined || fraction.length <= 3) return cut;
  const finer = Number(fraction.slice(3, decimals).padEnd(decimals - 3, "0"));
  const isBeyond = /[1-9]/.test(fraction.slice(decimals));
  return fineTime(cut + (finer + (isBeyond ? 1 : 0)) / 10 ** (decimals - 3));
}

const HOUR_MS = 3_600_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, "0"));
const MILLISECONDS = Array.from({ length: 1_000 }, (_, value) => `.${String(value).padStart(3, "0")}Z`);
/** The hour of the latest time, and how its times begin: most times that are rendered one after the other share it. */
let hour = Number.NaN;
let beginning = "";

/**
 * RFC 3339 in UTC with milliseconds, as `Date.toISOString` writes it, which takes 1.0 µs of processor time instead of 0.08 µs.
 * Every answer has some of these.
 */
export function renderInstant(value: FineTime): string {
  const ms = Math.trunc(value);
  const itsHour = Math.floor(ms / HOUR_MS);
  if (itsHour !== hour) {
    beginning = new Date(itsHour * HOUR_MS).toISOString().slice(0, -"00:00.000Z".length);
    hour = itsHour;
  }
  const inHour = ms - itsHour * HOUR_MS;
  const seconds = Math.floor(inHour / 1_000);
  return `${beginning}${TWO_DIGITS[Math.floor(seconds / 60)]}:${TWO_DIGITS[seconds % 60]}${MILLISECONDS[inHour % 1_000]}`;
}
