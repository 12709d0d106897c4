// What is explored, as it stands in the address: everything that a person can share.
import { AGGREGATIONS, type Aggregation } from "#core/telemetry/aggregation.ts";
import type { QueryChange } from "#web/router/paths.ts";
import type { Query } from "#web/router/query.ts";
import { GRANULARITIES } from "./granularity.ts";
import { parseRange } from "./range.ts";

/** More lines than these nobody tells apart. */
export const MOST_SERIES = 40;

export type SeriesSpec = {
  /** Id or slug. */
  readonly device: string;
  readonly attribute: string;
  readonly aggregation: Aggregation;
  /** How far before the range a carried value may be (`0s`, `1h`). Undefined: gaps stay gaps. */
  readonly fill: string | undefined;
  /** One of the granularities. Undefined: that of the chart. */
  readonly granularity: string | undefined;
  readonly isHidden: boolean;
};

export type ExploreState = {
  readonly series: readonly SeriesSpec[];
  /** As `parseRange` reads it. */
  readonly range: string;
  /** The range before somebody zoomed in. */
  readonly back: string | undefined;
  /** `auto` or one of the granularities. */
  readonly granularity: string;
  readonly isCompared: boolean;
  readonly view: "chart" | "table";
  readonly hasBands: boolean;
  readonly hasAlerts: boolean;
  readonly hasExecutions: boolean;
  readonly hasControls: boolean;
  /** Undefined: as the page is set. */
  readonly clock: "site" | "utc" | undefined;
};

const DEFAULT_RANGE = "24h";

/** What is not understood is left out: an address may be old, or typed by hand. */
export function parseState(query: Query): ExploreState {
  const range = query.text("range");
  const back = query.text("back");
  const granularity = query.text("granularity");
  return {
    series: query
      .list("series")
      .flatMap((text) => parseSpec(text) ?? [])
      .slice(0, MOST_SERIES),
    range: range !== undefined && parseRange(range) !== undefined ? range : DEFAULT_RANGE,
    back: back !== undefined && parseRange(back) !== undefined ? back : undefined,
    granularity: GRANULARITIES.find(({ name }) => name === granularity)?.name ?? "auto",
    isCompared: query.flag("compare"),
    view: query.text("view") === "table" ? "table" : "chart",
    hasBands: query.text("bands") !== "off",
    hasAlerts: query.text("alerts") !== "off",
    hasExecutions: query.text("executions") !== "off",
    hasControls: query.text("controls") !== "off",
    clock: (["site", "utc"] as const).find((one) => one === query.text("clock")),
  };
}

/** What a change of the state changes in the address. */
export function renderState(state: Partial<ExploreState>): QueryChange {
  const change: Record<string, string | readonly string[] | boolean | undefined> = {};
  if (state.series !== undefined) change["series"] = state.series.map(renderSpec);
  if (state.range !== undefined) change["range"] = state.range === DEFAULT_RANGE ? undefined : state.range;
  if ("back" in state) change["back"] = state.back;
  if (state.granularity !== undefined)
    change["granularity"] = state.granularity === "auto" ? undefined : state.granularity;
  if (state.isCompared !== undefined) change["compare"] = state.isCompared;
  if (state.view !== undefined) change["view"] = state.view === "chart" ? undefined : state.view;
  if (state.hasBands !== undefined) change["bands"] = state.hasBands ? undefined : "off";
  if (state.hasAlerts !== undefined) change["alerts"] = state.hasAlerts ? undefined : "off";
  if (state.hasExecutions !== undefined) change["executions"] = state.hasExecutions ? undefined : "off";
  if (state.hasControls !== undefined) change["controls"] = state.hasControls ? undefined : "off";
  if ("clock" in state) change["clock"] = state.clock;
  return change;
}

/** `meter-1:power~max~locf.1h~by.15m~hidden`: what is usual is left out. */
function renderSpec({ device, attribute, aggregation, fill, granularity, isHidden }: SeriesSpec): string {
  return [
    `${encodeName(device)}:${encodeName(attribute)}`,
    ...(aggregation === "auto" ? [] : [aggregation]),
    ...(fill === undefined ? [] : [`locf.${fill}`]),
    ...(granularity === undefined ? [] : [`by.${granularity}`]),
    ...(isHidden ? ["hidden"] : []),
  ].join("~");
}

function parseSpec(text: string): SeriesSpec | undefined {
  const [name = "", ...words] = text.split("~");
  const [device, attribute, ...rest] = name.split(":").map(decodeName);
  if (!device || !attribute || rest.length > 0) return undefined;
  return {
    device,
    attribute,
    aggregation: AGGREGATIONS.find((one) => words.includes(one)) ?? "auto",
    fill: words.map((word) => /^locf\.(\d{1,6}[smhd])$/.exec(word)?.[1]).find((one) => one !== undefined),
    granularity: GRANULARITIES.find(({ name }) => words.includes(`by.${name}`))?.name,
    isHidden: words.includes("hidden"),
  };
}

/** Names may hold the signs that part them here. */
const encodeName = (text: string) => encodeURIComponent(text).replaceAll("~", "%7E");

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
