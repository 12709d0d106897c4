import { type Static, Type } from "typebox";
import { AppError, type Refusal } from "#core/app-error.ts";
import { AGGREGATIONS, type Aggregation } from "#core/telemetry/aggregation.ts";
import { parseDuration } from "#core/time/duration.ts";
import { type Instant, instant, parseInstant } from "#core/time/instant.ts";
import { oneOf, strict } from "#http/wire.ts";
import type { AskedSeries, Timeseries } from "#service/telemetry/read-timeseries.ts";

const MAX_SERIES = 10;
const MAX_ROWS = 1_000_000;
/** Unix seconds beyond the year 5138: whoever writes that means milliseconds. */
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
}

/** What the header cell repeats as it was asked. */
interface HeaderParts {
  readonly granularity: string;
  readonly lookAround: string | undefined;
}

/** Merges global and own settings, so that nothing optional is left. Refuses with everything that is wrong at once. */
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
    return merged === undefined
      ? []
      : names.map((attribute) => ({ device: item.device, attribute, pointer, ...merged }));
  });
  const count = body.telemetry.reduce(
    (sum, { attribute }) => sum + (typeof attribute === "string" ? 1 : attribute.length),
    0,
  );
  if (count > MAX_SERIES) refuse("/telemetry", `at most ${MAX_SERIES} attributes in one request, not ${count}`);
  if (from !== undefined && to !== undefined) {
    for (const { granularityMs, pointer } of series) {
      if ((to - from) / granularityMs > MAX_ROWS) {
        refuse(pointer, `more than ${MAX_ROWS} rows: take a coarser granularity or a shorter range`);
      }
    }
  }
  const [first, ...others] = refusals;
  if (first !== undefined || from === undefined || to === undefined) {
    throw new AppError([first ?? { code: "invalid_body", message: "the range makes no sense" }, ...others]);
  }
  return { from, to, series };
}

interface Merged {
  readonly aggregation: Aggregation;
  readonly granularityMs: number;
  readonly lookAroundMs: number | undefined;
  readonly header: HeaderParts;
}

function mergeSettings(
  global: Settings,
  own: Settings,
  refuse: (at: string, message: string) => void,
): Merged | undefined {
  const aggregation = own.aggregation ?? global.aggregation;
  const granularity = own.granularity ?? global.granularity;
  const filling = own.gap_filling ?? global.gap_filling;
  if (aggregation === undefined) refuse("/aggregation", "aggregation is missing, here and globally");
  if (granularity === undefined) refuse("/granularity", "granularity is missing, here and globally");
  const granularityMs = granularity === undefined ? undefined : parseLength(granularity);
  if (granularity !== undefined && granularityMs === undefined) {
    refuse("/granularity", "granularity must be a duration such as 1s, 1.5m or 2h45m");
  } else if (granularityMs !== undefined && granularityMs < 1)
    refuse("/granularity", "granularity must be at least 1ms");
  const isFilled = filling !== undefined && filling.method !== "none";
  const lookAround = isFilled ? (filling.look_around ?? "0s") : undefined;
  const lookAroundMs = lookAround === undefined ? undefined : parseLength(lookAround);
  if (lookAround !== undefined && lookAroundMs === undefined) {
    refuse("/gap_filling/look_around", "look_around must be a duration such as 10m");
  }
  const isRight =
    granularityMs !== undefined && granularityMs >= 1 && (lookAround === undefined || lookAroundMs !== undefined);
  if (aggregation === undefined || granularity === undefined || !isRight) return undefined;
  return { aggregation, granularityMs, lookAroundMs, header: { granularity, lookAround } };
}

/** Milliseconds, perhaps with a fraction. */
function parseLength(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : Number(duration) / 1e6;
}

function parseTime(given: string | number, refuse: (problem: string) => void): Instant | undefined {
  if (typeof given === "string") {
    const parsed = parseInstant(given);
    if (parsed === undefined) refuse("must be Unix seconds or an RFC 3339 date-time such as 2026-11-14T12:00:00Z");
    return parsed;
  }
  if (Math.abs(given) < SURELY_MILLISECONDS) return instant(given * 1000);
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
