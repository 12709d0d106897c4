// Words at the axis of times.
import type { Hours, Locale } from "#web/data/preferences.svelte.ts";
import { formatTime } from "#web/i18n/format.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A tick shows as much as its distance to the next needs, and the day where a day begins. */
export function tickTexts(
  ticks: readonly number[],
  step: number,
  show: { readonly locale: Locale; readonly zone: string; readonly hours: Hours },
): readonly string[] {
  return ticks.map((at, index) => {
    if (step >= 28 * DAY) return formatTime(at, "month", show);
    const day = formatTime(at, "day", show);
    if (step >= DAY) return day;
    const time = formatTime(at, step < MINUTE ? "seconds" : "time", show);
    const before = ticks[index - 1];
    const isNewDay = before !== undefined && formatTime(before, "day", show) !== day;
    const fraction = step < 1000 ? `.${String(Math.round(at % 1000)).padStart(3, "0")}` : "";
    return isNewDay ? `${time}${fraction}\n${day}` : `${time}${fraction}`;
  });
}
