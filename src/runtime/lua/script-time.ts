// os.time and os.date of a script, in the time zone of the gateway.
import { DAY_MS } from "#core/time/hour.ts";
import type { LuaValue } from "#drivers/lua-value.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

/** `os.time(table)`: the seconds, and the fields as they are after carrying over. */
export function timeOf(fields: ReadonlyMap<string, LuaValue>): readonly [number, ReadonlyMap<string, LuaValue>] {
  const [year = 0, month = 0, day = 0, hour = 0, min = 0, sec = 0] = ["year", "month", "day", "hour", "min", "sec"].map(
    (name) => {
      const value = fields.get(name);
      if (typeof value !== "number") throw new TypeError(`field '${name}' is not an integer`);
      return value;
    },
  );
  const date = new Date(year, month - 1, day, hour, min, sec);
  if (Number.isNaN(date.getTime())) throw new RangeError("time result cannot be represented in this installation");
  return [Math.floor(date.getTime() / 1000), fieldsOf(date)];
}

/** `os.date(format, seconds)`. */
export function dateOf(format: string, seconds: number): LuaValue {
  const isUtc = format.startsWith("!");
  const pattern = isUtc ? format.slice(1) : format;
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) throw new RangeError("date result cannot be represented in this installation");
  // Local fields of this date are the wanted ones.
  const date = isUtc ? new Date(seconds * 1000 + moment.getTimezoneOffset() * 60_000) : moment;
  if (pattern.startsWith("*t")) return fieldsOf(date);
  const offset = isUtc ? 0 : -moment.getTimezoneOffset();
  return pattern.replaceAll(/%([EO]?.|$)/gs, (_, key: string) =>
    conversion(key.replace(/^[EO](?=.)/, ""), date, offset),
  );
}

function conversion(key: string, date: Date, offsetMinutes: number): string {
  const inline = INLINE[key];
  if (inline !== undefined)
    return inline.replaceAll(/%(.)/g, (_, inner: string) => conversion(inner, date, offsetMinutes));
  const write = CONVERSIONS[key];
  if (write === undefined) throw new RangeError(`invalid conversion specifier '%${key}'`);
  return write(date, offsetMinutes);
}

const INLINE: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  h: "%b",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

const two = (value: number): string => String(value).padStart(2, "0");
const short = (names: readonly string[], index: number): string => (names[index] ?? "").slice(0, 3);

const CONVERSIONS: Readonly<Record<string, (date: Date, offsetMinutes: number) => string>> = {
  a: (date) => short(DAYS, date.getDay()),
  A: (date) => DAYS[date.getDay()] ?? "",
  b: (date) => short(MONTHS, date.getMonth()),
  B: (date) => MONTHS[date.getMonth()] ?? "",
  C: (date) => two(Math.floor(date.getFullYear() / 100)),
  d: (date) => two(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2, " "),
  g: (date) => two(isoWeek(date).year % 100),
  G: (date) => String(isoWeek(date).year),
  H: (date) => two(date.getHours()),
  I: (date) => two(date.getHours() % 12 || 12),
  j: (date) => String(dayOfYear(date)).padStart(3, "0"),
  m: (date) => two(date.getMonth() + 1),
  M: (date) => two(date.getMinutes()),
  n: () => "\n",
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  S: (date) => two(date.getSeconds()),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  t: () => "\t",
  u: (date) => String(date.getDay() || 7),
  U: (date) => two(Math.floor((dayOfYear(date) + 6 - date.getDay()) / 7)),
  V: (date) => two(isoWeek(date).week),
  w: (date) => String(date.getDay()),
  W: (date) => two(Math.floor((dayOfYear(date) + 6 - ((date.getDay() + 6) % 7)) / 7)),
  y: (date) => two(date.getFullYear() % 100),
  Y: (date) => String(date.getFullYear()),
  z: (_, offset) => `${offset < 0 ? "-" : "+"}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`,
  Z: (_, offset) => (offset === 0 ? "UTC" : ""),
  "%": () => "%",
};

function fieldsOf(date: Date): ReadonlyMap<string, LuaValue> {
  return new Map<string, LuaValue>([
    ["year", date.getFullYear()],
    ["month", date.getMonth() + 1],
    ["day", date.getDate()],
    ["hour", date.getHours()],
    ["min", date.getMinutes()],
    ["sec", date.getSeconds()],
    ["wday", date.getDay() + 1],
    ["yday", dayOfYear(date)],
    ["isdst", date.getTimezoneOffset() < standardOffset(date)],
  ]);
}

function standardOffset(date: Date): number {
  const year = date.getFullYear();
  return Math.max(new Date(year, 0, 1).getTimezoneOffset(), new Date(year, 6, 1).getTimezoneOffset());
}

function dayOfYear(date: Date): number {
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return Math.round((day - Date.UTC(date.getFullYear(), 0, 1)) / DAY_MS) + 1;
}

/** The ISO week belongs to the year its Thursday lies in. */
function isoWeek(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7));
  return { year: thursday.getFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) };
}
