import { type NamedPeriod, nameOfPeriod } from "#core/energy/parse-period.ts";
import { preferences } from "#web/data/preferences.svelte.ts";
import { formatTime, type TimeStyle } from "#web/i18n/format.ts";
import { t } from "./messages.ts";

/** A period as people name it: 18 Nov 2026; Week 2026-W47, 16 Nov to 22 Nov; Nov 2026; 2026. */
export function periodName(period: NamedPeriod, zone: string): string {
  const show = (at: number, style: TimeStyle) =>
    formatTime(at, style, { locale: preferences.locale, hours: preferences.hours, zone });
  const name = nameOfPeriod(period, zone) ?? "";
  switch (period.kind) {
    case "day":
      return show(period.from, "date");
    case "week":
      return t.weekTitle(name.replace("-W", "/"), show(period.from, "day"), show(period.to - 1, "day"));
    case "month":
      return show(period.from, "month");
    case "year":
      return name;
    case "range":
      return t.rangeTitle(show(period.from, "date"), show(period.to - 1, "date"));
  }
}
