// What a calendar says, and what uses it. Pure.
import type { Calendar, CalendarEntry, CommandSchedule } from "#client/resources.ts";
import { CALENDAR_NAME } from "#core/calendar/site-calendar.ts";
import type { Hours, Locale } from "#web/data/preferences.svelte.ts";
import { formatNumber, formatTime } from "#web/i18n/format.ts";

export const isName = (name: string): boolean => CALENDAR_NAME.test(name);

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

export const stateOf = ({ state }: Pick<Calendar, "state">): "on" | "off" | "unknown" =>
  state === null ? "unknown" : state.on ? "on" : "off";
export const TONES = { on: "ok", off: "neutral", unknown: "warning" } as const;

/** When an entry is: whole days without their hours. */
export function spanOf(
  { from, to }: Pick<CalendarEntry, "from" | "to">,
  reader: { readonly locale: Locale; readonly zone: string; readonly hours: Hours },
): { readonly from: string; readonly to: string | undefined } {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const say = (at: number, style: "date" | "dateTime" | "time") => formatTime(at, style, reader);
  const isMidnight = (at: number) => formatTime(at, "time", { ...reader, hours: "24h" }) === "00:00";
  if (isMidnight(start) && isMidnight(end)) {
    // The end is the first moment that no longer belongs to it.
    const [first, last] = [say(start, "date"), say(end - 1, "date")];
    return { from: first, to: first === last ? undefined : last };
  }
  const isSameDay = say(start, "date") === say(end, "date");
  return { from: say(start, "dateTime"), to: say(end, isSameDay ? "time" : "dateTime") };
}

/** The value of a range; undefined: it is only on. */
export function valueText(
  value: number | string | boolean | null,
  { locale, yes, no }: { readonly locale: Locale; readonly yes: string; readonly no: string },
): string | undefined {
  if (value === null) return undefined;
  return typeof value === "number"
    ? formatNumber(value, locale, 6)
    : typeof value === "boolean"
      ? value
        ? yes
        : no
      : value;
}

/** Whether a script in Lua names a calendar where it asks for one. Names that it makes up while it runs are not seen. */
export function luaNames(code: string, name: string): boolean {
  const found = /calendar\s*\.\s*(?:now|next)\s*\(?\s*(?:"([^"\n]{1,64})"|'([^'\n]{1,64})')/g;
  return [...code.matchAll(found)].some(([, double, single]) => (double ?? single) === name);
}

export const exceptsOf = (calendars: readonly Calendar[], name: string): readonly string[] =>
  calendars.filter((one) => one.name !== name && one.except.includes(name)).map((one) => one.name);

export const schedulesWith = (schedules: readonly CommandSchedule[], site: string, name: string) =>
  schedules.filter((one) => one.site_id === site && [...one.except, ...one.only].includes(name));
