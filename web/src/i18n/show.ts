import { clock } from "#web/data/clock.svelte.ts";
import { preferences } from "#web/data/preferences.svelte.ts";
import {
  formatAge,
  formatClock,
  formatFixed,
  formatLength,
  formatNumber,
  formatTime,
  type TimeStyle,
} from "./format.ts";

const milliseconds = (at: number | string) => (typeof at === "string" ? Date.parse(at) : at);

/** Numbers and times in the language and time zone that are chosen now. Times are Unix milliseconds or RFC 3339. */
export const show = {
  number: (value: number, digits?: number) => formatNumber(value, preferences.locale, digits),
  /** With all digits after the point: for columns and sums. */
  fixed: (value: number, digits = 2) => formatFixed(value, preferences.locale, digits),
  time: (at: number | string, style: TimeStyle = "time") =>
    formatTime(milliseconds(at), style, { locale: preferences.locale, hours: preferences.hours, zone: clock.zone }),
  /** A time of day as the service writes it, `07:30` or minutes since midnight. Anything else, such as `sunset`, stays. */
  clock: (time: string | number) => formatClock(time, preferences),
  length: (ms: number) => formatLength(ms, preferences.locale),
  /** Ticks by itself where it is shown. */
  age: (at: number | string) => formatAge(clock.now - milliseconds(at), preferences.locale),
};
