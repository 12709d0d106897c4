import type { Refusal } from "#core/app-error.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { AGGREGATIONS, type Aggregation, canBeCarried } from "#core/telemetry/aggregation.ts";
import { type Calendar, type CalendarUnit, SHORTEST_MS } from "#core/time/calendar.ts";
import { durationProblem, parseDuration } from "#core/time/duration.ts";
import { type FineTime, fineTime, instant, parseBound } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { oneOf, strict } from "#service/operation/wire.ts";
import type { AskedSeries, Timeseries } from "#service/telemetry/read-timeseries.ts";

const MAX_SERIES = 10;
/** A larger number of seconds is beyond the year 5138, so the client means milliseconds. */
const SURELY_MILLISECONDS = 1e11;

const time = Type.Unsafe<string | number>({
  anyOf: [{ type: "number" }, { type: "string", minLength: 1, maxLength: 64 }],
  description: "Unix seconds, or an RFC 3339 date-time.",
});
const duration = Type.String({ maxLength: 64, description: "A duration such as 1s, 1.5m or 2h45m." });
const gapFilling = strict("GapFilling", {
  method: Type.Optional(oneOf(["locf", "none"], { description: "locf carries the last value forward." })),
  look_around: Type.Optional(duration),
});
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "An IANA name. With it the granularities 1d, 1w, 1M and 1y follow the calendar there.",
});
const settings = {
  aggregation: Type.Optional(oneOf(AGGREGATIONS)),
  granularity: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "A duration such as 1s, 1.5m or 2h45m. With a timezone also 1d, 1w, 1M and 1y of its calendar.",
    }),
  ),
  timezone: Type.Optional(timezone),
  gap_filling: Type.Optional(gapFilling),
};

export const timeseriesSchema = strict("TimeseriesRequest", {
  from: time,
  to: time,
  ...settings,
  telemetry: Type.Array(
    strict("TimeseriesItem", {
      device: Type.String({ minLength: 1, maxLength: 200 }),
      attribute: Type.Unsafe<string | string[]>({
        anyOf: [
          { type: "string", minLength: 1, maxLength: 200 },
          { type: "array", minItems: 1, maxItems: MAX_SERIES, items: { type: "string", minLength: 1, maxLength: 200 } },
        ],
      }),
      ...settings,
    }),
    { minItems: 1, maxItems: MAX_SERIES },
  ),
});

type Body = Static<typeof timeseriesSchema>;
type Settings = Pick<Body, "aggregation" | "granularity" | "timezone" | "gap_filling">;

export interface TimeseriesInput {
  readonly from: FineTime;
  readonly to: FineTime;
  readonly series: readonly (AskedSeries & { readonly header: HeaderParts })[];
  /** A problem. The value above is a placeholder, so that the rest can be checked too. */
  readonly refusals: readonly Refusal[];
}

/** The text that the header cell repeats from the request. */
interface HeaderParts {
  readonly granularity: string;
  /** Only where the calendar counts. */
  readonly timezone: string | undefined;
  readonly lookAround: string | undefined;
}

/**
 * Merges global and own settings, so that nothing is optional afterwards. Global settings are checked where they stand,
 * also if every item has its own.
 */
export function parseTimeseries(body: Body): TimeseriesInput {
  const refusals: Refusal[] = [];
  const refuse = (pointer: string, message: string) => {
    refusals.push({ code: "invalid_body", message, details: { pointer } });
  };
  const { from, to } = parseRange(body, refuse);
  checkSettings(body, refuse);
  const inheritsBoth = (item: Settings) => item.granularity === undefined && item.timezone === undefined;
  if (body.timezone === undefined && needsTimezone(body.granularity) && body.telemetry.some(inheritsBoth)) {
    refuse("/granularity", NEEDS_TIMEZONE);
  }
  const series = body.telemetry.flatMap((item, index) => {
    const pointer = `/telemetry/${index}`;
    const refuseHere = (at: string, message: string) => refuse(`${pointer}${at}`, message);
    checkSettings(item, refuseHere);
    const merged = mergeSettings(body, item, refuseHere);
    const names = typeof item.attribute === "string" ? [item.attribute] : item.attribute;
    const places = {
      pointer,
      // A global aggregation is right for other items, so the item is what is wrong.
      aggregationPointer: item.aggregation === undefined ? pointer : `${pointer}/aggregation`,
      granularityPointer: item.granularity === undefined ? "/granularity" : `${pointer}/granularity`,
    };
    return names.map((attribute) => ({ device: item.device, attribute, ...places, ...merged }));
  });
  if (series.length > MAX_SERIES) {
    refuse("/telemetry", `at most ${MAX_SERIES} attributes in one request, not ${series.length}`);
  }
  return { from: from ?? instant(0), to: to ?? instant(0), series: series.slice(0, MAX_SERIES), refusals };
}

/** Mistakes in what has the right type, for a body that its schema refuses. */
export function timeseriesMistakes(body: unknown): readonly Refusal[] {
  const refusals: Refusal[] = [];
  const refuse = (pointer: string, message: string) => {
    refusals.push({ code: "invalid_body", message, details: { pointer } });
  };
  if (!isObject(body)) return refusals;
  parseRange(body, refuse);
  checkSettings(textSettings(body), refuse);
  const items = Array.isArray(body["telemetry"]) ? body["telemetry"].slice(0, MAX_SERIES) : [];
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) continue;
    checkSettings(textSettings(item), (at, message) => refuse(`/telemetry/${index}${at}`, message));
  }
  return refusals;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The settings that are texts. An empty one counts as not given. */
function textSettings({ granularity, timezone, gap_filling }: Readonly<Record<string, unknown>>): Settings {
  const lookAround = isObject(gap_filling) ? gap_filling["look_around"] : undefined;
  return {
    ...(isText(granularity) && { granularity }),
    ...(isText(timezone) && { timezone }),
    ...(isText(lookAround) && { gap_filling: { look_around: lookAround } }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

interface Merged {
  readonly aggregation: Aggregation;
  readonly granularityMs: number;
  readonly calendar: Calendar | undefined;
  readonly lookAroundMs: number | undefined;
  readonly header: HeaderParts;
}

type Refuse = (at: string, message: string) => void;

/** What is wrong with a setting wherever it is used. Whether a calendar has its time zone is known after merging. */
function checkSettings({ granularity, timezone, gap_filling }: Settings, refuse: Refuse): void {
  const isCalendar = granularity !== undefined && CALENDAR_UNIT.has(granularity);
  const problem = granularity === undefined || isCalendar ? undefined : problemOfGranularity(granularity);
  if (problem !== undefined) refuse("/granularity", `granularity ${problem}`);
  if (timezone !== undefined && !isTimezone(timezone)) {
    refuse("/timezone", "timezone must be the IANA name of a time zone, such as Europe/Berlin");
  }
  const lookAround = gap_filling?.look_around;
  const farProblem = lookAround === undefined ? undefined : durationProblem(lookAround);
  if (farProblem !== undefined) refuse("/gap_filling/look_around", `look_around ${farProblem}`);
}

/** Settings that cannot be read are refused already; here they are replaced. */
function mergeSettings(global: Settings, own: Settings, refuse: Refuse): Merged {
  const aggregation = own.aggregation ?? global.aggregation;
  const granularity = own.granularity ?? global.granularity;
  const filling = givenFilling(own) ?? givenFilling(global);
  if (aggregation === undefined) refuse("/aggregation", "aggregation is missing, here and globally");
  if (granularity === undefined) refuse("/granularity", "granularity is missing, here and globally");
  const timezone = own.timezone ?? global.timezone;
  const unit = CALENDAR_UNIT.get(granularity ?? "");
  const calendar = unit && timezone !== undefined && isTimezone(timezone) ? { unit, timezone } : undefined;
  if (timezone === undefined && needsTimezone(own.granularity)) refuse("/granularity", NEEDS_TIMEZONE);
  const isFilled = filling !== undefined && filling.method !== "none";
  if (isFilled && aggregation !== undefined && !canBeCarried(aggregation)) {
    const message = `${aggregation} cannot be filled, because nothing of it repeats; take the method none`;
    // A global setting is right for other items; then the item is what is wrong.
    const place =
      givenFilling(own) !== undefined ? "/gap_filling" : own.aggregation !== undefined ? "/aggregation" : "";
    refuse(place, message);
  }
  const lookAround = isFilled ? (filling.look_around ?? global.gap_filling?.look_around ?? "0s") : undefined;
  return {
    aggregation: aggregation ?? "auto",
    granularityMs: calendar ? SHORTEST_MS[calendar.unit] : (parseLength(granularity ?? "") ?? 1_000),
    calendar,
    lookAroundMs: lookAround === undefined ? undefined : (parseLength(lookAround) ?? 0),
    header: { granularity: granularity ?? "", timezone: calendar?.timezone, lookAround },
  };
}

/** An object without any setting says nothing: it neither fills nor replaces the global setting. */
function givenFilling({ gap_filling }: Settings): Settings["gap_filling"] {
  return gap_filling?.method === undefined && gap_filling?.look_around === undefined ? undefined : gap_filling;
}

/** The granularities that follow the calendar if a time zone is given. Without one, those that are durations are fixed. */
const CALENDAR_UNIT: ReadonlyMap<string, CalendarUnit> = new Map([
  ["1d", "day"],
  ["1w", "week"],
  ["1M", "month"],
  ["1y", "year"],
]);

const NEEDS_TIMEZONE = "granularity needs a timezone: weeks and months have no fixed length";

function needsTimezone(granularity: string | undefined): boolean {
  return granularity !== undefined && CALENDAR_UNIT.has(granularity) && parseLength(granularity) === undefined;
}

/** Points have times in whole milliseconds, so finer buckets would make no sense. */
function problemOfGranularity(text: string): string | undefined {
  const milliseconds = parseLength(text);
  if (milliseconds === undefined) return durationProblem(text);
  if (milliseconds < 1) return "must be at least 1ms, because points have times in whole milliseconds";
  if (Number.isInteger(milliseconds)) return undefined;
  const [below, above] = [Math.floor(milliseconds), Math.ceil(milliseconds)];
  return `must be a whole number of milliseconds, because points have times in whole milliseconds: take ${below}ms or ${above}ms`;
}

/** The same few lengths are used again and again. */
const lengths = new Map<string, number>();
const MAX_LENGTHS = 1_000;

/** Milliseconds, perhaps with a fraction. */
function parseLength(text: string): number | undefined {
  const known = lengths.get(text);
  if (known !== undefined) return known;
  const duration = parseDuration(text);
  if (duration === undefined) return undefined;
  const length = Number(duration / 1_000_000n) + Number(duration % 1_000_000n) / 1e6;
  if (lengths.size < MAX_LENGTHS) lengths.set(text, length);
  return length;
}

function parseRange(
  given: { readonly from?: unknown; readonly to?: unknown },
  refuse: Refuse,
): { readonly from: FineTime | undefined; readonly to: FineTime | undefined } {
  const [from, to] = (["from", "to"] as const).map((name) => {
    const time = given[name];
    if (typeof time !== "number" && !isText(time)) return undefined;
    return parseTime(time, (problem) => refuse(`/${name}`, `${name} ${problem}`));
  });
  if (from !== undefined && to !== undefined && from >= to) refuse("/from", "from must be before to");
  return { from, to };
}

function parseTime(given: string | number, refuse: (problem: string) => void): FineTime | undefined {
  if (typeof given === "string") {
    const parsed = parseBound(given, 6);
    if (parsed === undefined) refuse("must be Unix seconds or an RFC 3339 date-time such as 2026-11-14T12:00:00Z");
    return parsed;
  }
  // A double cannot hold most decimals exactly: beyond the microsecond its digits are noise that must not move a
  // border.
  if (Math.abs(given) < SURELY_MILLISECONDS) return fineTime(Math.round(given * 1e6) / 1e3);
  refuse(`is ${given}, which can only be milliseconds; give Unix seconds`);
  return undefined;
}

/** The header row of the answer. */
export function renderHeader({ series }: TimeseriesInput, columns: Timeseries["columns"]): string {
  const cells = columns.flatMap(({ series: index, aggregation }) => {
    const { device, attribute, header } = series[index] ?? {};
    if (header === undefined) return [];
    const parts = [
      `telemetry=${attribute}`,
      `device=${device}`,
      `aggregation=${aggregation}`,
      `granularity=${header.granularity}`,
    ];
    if (header.timezone !== undefined) parts.push(`timezone=${header.timezone}`);
    if (header.lookAround !== undefined) {
      parts.push("gap_filling_method=locf", `gap_filling_look_around=${header.lookAround}`);
    }
    return quoteCell(parts.join(" "));
  });
  return `${["ts", ...cells].join(",")}\n`;
}

function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
