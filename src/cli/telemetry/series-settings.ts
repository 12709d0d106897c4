// The settings of time series, as people write them: for all series by flags, for one series after an @.

import type { GapFilling } from "#client/resources.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { AGGREGATIONS, type Aggregation, canBeCarried } from "#core/telemetry/aggregation.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { parseDuration } from "#core/time/duration.ts";

export type SeriesSettings = {
  readonly aggregation?: Aggregation;
  readonly granularity?: string;
  readonly timezone?: string;
  readonly gap_filling?: GapFilling;
};

/** What was given, by the names of `SETTING_NAMES`. */
type Given = Readonly<Partial<Record<SettingName, string>>>;
type SettingName = (typeof SETTING_NAMES)[number];
type Report = (problem: string) => void;

const SETTING_NAMES = ["aggregation", "granularity", "fill", "timezone"] as const;

/** Only a time zone gives these a length; a chart needs about one. */
const CALENDAR_STEPS: Readonly<Record<string, number>> = { "1w": 7 * 86_400_000, "1M": 30 * 86_400_000 };

/** Milliseconds, about those of a granularity that follows the calendar. */
export function stepOf(granularity: string): number {
  return CALENDAR_STEPS[granularity] ?? Number(parseDuration(granularity) ?? 0n) / 1e6;
}

/** `aggregation=max,granularity=5m`. Every mistake is reported; what is wrong is left out. */
export function parseOwnSettings(text: string, report: Report): SeriesSettings {
  const given = new Map<SettingName, string>();
  for (const part of text.split(",")) {
    const [, word = "", value = ""] = /^\s*([^=]*?)\s*(?:=(.*))?$/.exec(part) ?? [];
    const name = SETTING_NAMES.find((one) => one === word);
    if (name === undefined) report(unknownSetting(word));
    else if (given.has(name)) report(`${name} is given twice`);
    else given.set(name, value.trim());
  }
  return readSettings(Object.fromEntries(given), "", report);
}

function unknownSetting(word: string): string {
  const near = nearestOf(word, SETTING_NAMES);
  const hint = near === undefined ? `settings are ${SETTING_NAMES.join(", ")}` : `did you mean ${near}?`;
  return `there is no setting "${word}"; ${hint}`;
}

/** `prefix` stands before each name in what is reported: `--` for flags. */
export function readSettings(given: Given, prefix: string, report: Report): SeriesSettings {
  const { granularity, timezone, fill } = given;
  const aggregation = AGGREGATIONS.find((one) => one === given.aggregation);
  if (given.aggregation !== undefined && aggregation === undefined) {
    report(`${prefix}aggregation must be one of ${AGGREGATIONS.join(", ")}, not "${given.aggregation}"`);
  }
  const isLength = granularity !== undefined && stepOf(granularity) > 0;
  if (granularity !== undefined && !isLength) {
    report(`${prefix}granularity must be a duration such as 5m, not "${granularity}"`);
  }
  const isZone = timezone !== undefined && isTimezone(timezone);
  if (timezone !== undefined && !isZone) {
    report(`${prefix}timezone must be the IANA name of a time zone, such as Europe/Berlin, not "${timezone}"`);
  }
  const filling = fill === undefined ? undefined : parseFill(fill);
  if (fill !== undefined && filling === undefined) {
    report(`${prefix}fill must be locf, locf:1h to look that far back before the start, or none, not "${fill}"`);
  }
  return {
    ...(aggregation !== undefined && { aggregation }),
    ...(isLength && { granularity }),
    ...(isZone && { timezone }),
    ...(filling !== undefined && { gap_filling: filling }),
  };
}

/** What the settings of a series do not allow together, once those for all are added. */
export function checkTogether(global: SeriesSettings, own: SeriesSettings, report: Report): void {
  const { aggregation = "auto", granularity = "", timezone, gap_filling } = { ...global, ...own };
  if (CALENDAR_STEPS[granularity] !== undefined && timezone === undefined) {
    report(`granularity ${granularity} needs a timezone: weeks and months have no fixed length`);
  }
  if (gap_filling?.method === "locf" && !canBeCarried(aggregation)) {
    report(`${aggregation} cannot be filled, because nothing of it repeats; write fill=none`);
  }
}

function parseFill(text: string): GapFilling | undefined {
  const [, method, lookAround] = /^(locf|none)(?::(.+))?$/.exec(text) ?? [];
  if (method === "none") return lookAround === undefined ? { method } : undefined;
  if (method === undefined || (lookAround !== undefined && parseDuration(lookAround) === undefined)) return undefined;
  return { method: "locf", ...(lookAround !== undefined && { look_around: lookAround }) };
}
