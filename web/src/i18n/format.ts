// Numbers and times as people read them. Pure: language and time zone are arguments. Screens use `show` (show.ts).
import type { Hours, Locale } from "#web/data/preferences.svelte.ts";

/** English dates and times are written in the order that most of the world reads. */
const TAGS: Readonly<Record<Locale, string>> = { en: "en-GB", de: "de-DE" };

/** Thousands and decimals. */
const SIGNS: Readonly<Record<Locale, readonly [string, string]>> = { en: [",", "."], de: [".", ","] };

/**
 * Three to four digits that matter, without zeros at the end: 218.4, 3.72, 0.0123. As `Intl.NumberFormat` writes them, but
 * without it: a page with hundreds of values is drawn sooner, and the first one of a slow phone by a frame.
 */
export function formatNumber(value: number, locale: Locale, digits?: number): string {
  if (!Number.isFinite(value)) return value === Infinity ? "∞" : value === -Infinity ? "−∞" : "–";
  const size = Math.abs(value);
  const decimals =
    digits ?? (size >= 1000 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3 - Math.ceil(Math.log10(size)));
  const text = size < 1e21 ? size.toFixed(Math.min(Math.max(decimals, 0), 12)) : String(BigInt(size));
  const [whole = "", fraction = ""] = text.split(".");
  const [thousands, point] = SIGNS[locale];
  // Four digits are read without help.
  const grouped = whole.length < 5 ? whole : whole.replaceAll(/\B(?=(?:\d{3})+$)/g, thousands);
  const rest = fraction.replace(/0+$/, "");
  const shown = rest === "" ? grouped : `${grouped}${point}${rest}`;
  return value < 0 && shown !== "0" ? `−${shown}` : shown;
}

/** With all digits after the point, so that a column of figures is in line: 1,379.30. */
export function formatFixed(value: number, locale: Locale, digits: number): string {
  const text = formatNumber(value, locale, digits);
  if (digits === 0 || !Number.isFinite(value)) return text;
  const point = SIGNS[locale][1];
  const [whole = "", fraction = ""] = text.split(point);
  return `${whole}${point}${fraction.padEnd(digits, "0")}`;
}

export type TimeStyle = "hour" | "time" | "seconds" | "date" | "day" | "dateTime" | "full" | "month";

const TIME_STYLES: Readonly<Record<TimeStyle, Intl.DateTimeFormatOptions>> = {
  hour: { hour: "numeric" },
  time: { hour: "2-digit", minute: "2-digit" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  date: { day: "numeric", month: "short", year: "numeric" },
  day: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
  dateTime: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  full: {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  },
};

const timeFormats = new Map<string, Intl.DateTimeFormat>();

export function formatTime(
  at: number,
  style: TimeStyle,
  { locale, zone, hours }: { readonly locale: Locale; readonly zone: string; readonly hours: Hours },
): string {
  if (!Number.isFinite(at)) return "–";
  const key = `${locale} ${zone} ${style} ${hours}`;
  let format = timeFormats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(TAGS[locale], {
      ...TIME_STYLES[style],
      timeZone: zone,
      hourCycle: hours === "12h" ? "h12" : "h23",
    });
    timeFormats.set(key, format);
  }
  return format.format(at);
}

/** A time of day without a date, as `07:30` or in minutes since midnight. 24:00 is the end of a day, which 12 hours do not tell apart. */
export function formatClock(
  time: string | number,
  { locale, hours }: { readonly locale: Locale; readonly hours: Hours },
) {
  const [, hour, minute] = typeof time === "string" ? (/^(\d\d):(\d\d)$/.exec(time) ?? []) : [];
  const minutes = typeof time === "number" ? time : Number(hour) * 60 + Number(minute);
  if (Number.isNaN(minutes)) return String(time);
  const two = (value: number) => String(value).padStart(2, "0");
  if (hours === "24h") return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return formatTime(minutes * 60_000, "time", { locale, hours, zone: "UTC" });
}

const LENGTHS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A length of time in its two largest units: `4 min`, `1 h 12 min`, `2 d 3 h`. */
export function formatLength(ms: number, locale: Locale): string {
  const word = (unit: string) => (unit === "d" && locale === "de" ? "T" : unit);
  const rest = Math.max(0, ms);
  if (rest < 10_000 && rest % 1000 !== 0) return `${formatNumber(rest / 1000, locale, rest < 1000 ? 2 : 1)} s`;
  for (const [index, [unit, size]] of LENGTHS.entries()) {
    if (rest < size) continue;
    const whole = Math.floor(rest / size);
    const [smaller, smallerSize] = LENGTHS[index + 1] ?? [undefined, 1];
    const more = Math.floor((rest % size) / smallerSize);
    // Seconds beside minutes matter only for a few of them.
    const isShown = smaller !== undefined && more > 0 && (smaller !== "s" || whole < 10);
    return isShown ? `${whole} ${word(unit)} ${more} ${word(smaller)}` : `${whole} ${word(unit)}`;
  }
  return "0 s";
}

/** How long ago: `3 s ago`. Coarse on purpose, so that it does not change all the time. */
export function formatAge(ms: number, locale: Locale): string {
  const [unit, size] = LENGTHS.find(([, one]) => ms >= one) ?? ["s", 1_000];
  const amount = Math.max(0, Math.floor(ms / size));
  if (locale === "de") return `vor ${amount} ${unit === "d" ? (amount === 1 ? "Tag" : "Tagen") : unit}`;
  return `${amount} ${unit} ago`;
}

/** The first moment of the day in which `at` lies, by the clock of the zone. */
export function startOfDay(at: number, zone: string): number {
  const parts = wallClock(at, zone);
  const midnight = Date.UTC(parts.year, parts.month - 1, parts.day);
  // The offset at midnight may differ from that of now: one more round finds it.
  const first = midnight - offsetAt(at, zone);
  const second = midnight - offsetAt(first, zone);
  // Where midnight does not exist, because clocks jump over it, the day begins with the jump.
  return wallClock(second, zone).day === parts.day ? second : Math.max(first, second);
}

/** Milliseconds from UTC to the clock of the zone. */
export function offsetAt(at: number, zone: string): number {
  const { year, month, day, hour, minute, second } = wallClock(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

const wallFormats = new Map<string, Intl.DateTimeFormat>();

function wallClock(at: number, zone: string) {
  let format = wallFormats.get(zone);
  if (format === undefined) {
    const options = {
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    } as const;
    format = new Intl.DateTimeFormat("en-GB", { ...options, hourCycle: "h23", timeZone: zone });
    wallFormats.set(zone, format);
  }
  const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => found.get(name) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}
