import type { Refusal } from "#core/app-error.ts";
import { AGGREGATIONS, type Aggregation } from "#core/telemetry/aggregation.ts";
import { parseDuration } from "#core/time/duration.ts";
import { type Instant, instant, parseInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#http/schema.ts";
import { oneOf, strict } from "#http/wire.ts";
import type { AskedSeries, Timeseries } from "#service/telemetry/read-timeseries.ts";

const MAX_SERIES = 10;
/** A larger number of seconds is beyond the year 5138, so the client means milliseconds. */
const SURELY_MILLISECONDS = 1e11;

const NO_DURATION = "must be a duration such as 1s, 1.5m or 2h45m";

const time = Type.Unsafe<string | number>({
  anyOf: [{ type: "number" }, { type: "string", minLength: 1, maxLength: 64 }],
  description: "Unix seconds, or an RFC 3339 date-time.",
});
const duration = Type.String({ maxLength: 64, description: "A duration such as 1s, 1.5m or 2h45m." });
const gapFilling = strict("GapFilling", {
  method: Type.Optional(oneOf(["locf", "none"], { description: "locf carries the last value forward." })),
  look_around: Type.Optional(duration),
});
const settings = {
  aggregation: Type.Optional(oneOf(AGGREGATIONS)),
  granularity: Type.Optional(duration),
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
type Settings = Pick<Body, "aggregation" | "granularity" | "gap_filling">;

export interface TimeseriesInput {
  readonly from: Instant;
  readonly to: Instant;
  readonly series: readonly (AskedSeries & { readonly header: HeaderParts })[];
  /** A problem. The value above is a placeholder, so that the rest can be checked too. */
  readonly refusals: readonly Refusal[];
}

/** The text that the header cell repeats from the request. */
interface HeaderParts {
  readonly granularity: string;
  readonly lookAround: string | undefined;
}

/** Merges global and own settings, so that nothing is optional afterwards. */
export function parseTimeseries(body: Body): TimeseriesInput {
  const refusals: Refusal[] = [];
  const refuse = (pointer: string, message: string) => {
    refusals.push({ code: "invalid_body", message, details: { pointer } });
  };
  const from = parseTime(body.from, (problem) => refuse("/from", `from ${problem}`));
  const to = parseTime(body.to, (problem) => refuse("/to", `to ${problem}`));
  if (from !== undefined && to !== undefined && from >= to) refuse("/from", "from must be before to");
  const series = body.telemetry.flatMap((item, index) => {
    const pointer = `/telemetry/${index}`;
    const merged = mergeSettings(body, item, (at, message) => refuse(`${pointer}${at}`, message));
    const names = typeof item.attribute === "string" ? [item.attribute] : item.attribute;
    return names.map((attribute) => ({ device: item.device, attribute, pointer, ...merged }));
  });
  if (series.length > MAX_SERIES) {
    refuse("/telemetry", `at most ${MAX_SERIES} attributes in one request, not ${series.length}`);
  }
  return { from: from ?? instant(0), to: to ?? instant(0), series: series.slice(0, MAX_SERIES), refusals };
}

interface Merged {
  readonly aggregation: Aggregation;
  readonly granularityMs: number;
  readonly lookAroundMs: number | undefined;
  readonly header: HeaderParts;
}

function mergeSettings(global: Settings, own: Settings, refuse: (at: string, message: string) => void): Merged {
  const aggregation = own.aggregation ?? global.aggregation;
  const granularity = own.granularity ?? global.granularity;
  const filling = own.gap_filling ?? global.gap_filling;
  if (aggregation === undefined) refuse("/aggregation", "aggregation is missing, here and globally");
  if (granularity === undefined) refuse("/granularity", "granularity is missing, here and globally");
  const granularityMs = granularity === undefined ? undefined : parseLength(granularity);
  const granularityProblem = granularityMs === undefined ? NO_DURATION : problemOfGranularity(granularityMs);
  if (granularity !== undefined && granularityProblem !== undefined) {
    refuse("/granularity", `granularity ${granularityProblem}`);
  }
  const isFilled = filling !== undefined && filling.method !== "none";
  const lookAround = isFilled ? (filling.look_around ?? "0s") : undefined;
  const lookAroundMs = lookAround === undefined ? undefined : parseLength(lookAround);
  if (lookAround !== undefined && lookAroundMs === undefined) {
    refuse("/gap_filling/look_around", `look_around ${NO_DURATION}`);
  }
  return {
    aggregation: aggregation ?? "auto",
    granularityMs: granularityMs ?? 1_000,
    lookAroundMs,
    header: { granularity: granularity ?? "", lookAround },
  };
}

/** Points have times in whole milliseconds, so finer buckets would make no sense. */
function problemOfGranularity(milliseconds: number): string | undefined {
  if (milliseconds < 1) return "must be at least 1ms";
  return Number.isInteger(milliseconds) ? undefined : "must be a whole number of milliseconds";
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

function parseTime(given: string | number, refuse: (problem: string) => void): Instant | undefined {
  if (typeof given === "string") {
    const parsed = parseInstant(given);
    if (parsed === undefined) refuse("must be Unix seconds or an RFC 3339 date-time such as 2026-11-14T12:00:00Z");
    return parsed;
  }
  // A double cannot hold most decimals exactly: beyond the microsecond its digits are noise that must not move a
  // border.
  if (Math.abs(given) < SURELY_MILLISECONDS) return instant(Math.round(given * 1e6) / 1e3);
  refuse(`is ${given}, which can only be milliseconds; give Unix seconds`);
  return undefined;
}

/** The header row of the answer. */
export function renderHeader({ series }: TimeseriesInput, columns: Timeseries["columns"]): string {
  const cells = series.map(({ device, attribute, header }, index) => {
    const parts = [
      `telemetry=${attribute}`,
      `device=${device}`,
      `aggregation=${columns[index]?.aggregation}`,
      `granularity=${header.granularity}`,
    ];
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
