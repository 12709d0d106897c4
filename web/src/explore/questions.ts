// What is asked of the service for the chosen series: their values, what helps to draw them, and the period before.
import type { TimeseriesQuestion } from "#client/resources.ts";
import { type Granularity, hasBand } from "./granularity.ts";
import type { Range } from "./range.ts";
import type { Item, Settings } from "./read-items.ts";
import type { SeriesInfo } from "./series-info.ts";

export type Grid = Range & { readonly granularity: Granularity; readonly zone: string };

/** Whole buckets from the beginning on. Nothing after now is asked for: a carried value would fill the future. */
export function settingsOf({ from, to, granularity, zone }: Grid, now: number): Settings {
  const begin = granularity.isCalendar ? from : Math.floor(from / granularity.ms) * granularity.ms;
  return {
    from: begin / 1000,
    to: Math.max(Math.min(to, now), begin + 1) / 1000,
    granularity: granularity.name,
    ...(granularity.isCalendar && { timezone: zone }),
  };
}

export function mainItem({ spec, aggregation, canBeFilled }: SeriesInfo): Item {
  return {
    device: spec.device,
    attribute: spec.attribute,
    aggregation,
    ...(spec.fill !== undefined && canBeFilled && { gap_filling: { method: "locf", look_around: spec.fill } }),
  };
}

/**
 * One more question about a series. The least and the greatest value give the band around a mean. They are not filled, so
 * they also show which buckets hold a measured value; without a band a count does.
 */
export function helpingItem(info: SeriesInfo, granularity: Granularity, hasBands: boolean): Item | undefined {
  const { spec, aggregation, kind, canBeFilled } = info;
  const isMean = kind === "number" && (aggregation === "auto" || aggregation === "avg");
  const name = { device: spec.device, attribute: spec.attribute };
  if (isMean && hasBands && hasBand(granularity)) return { ...name, aggregation: "min_max" };
  return spec.fill !== undefined && canBeFilled ? { ...name, aggregation: "count" } : undefined;
}

/** One request takes so many series. */
const AT_ONCE = 10;

/** The question as somebody would ask it by hand: of more series than one request takes, the first. */
export function questionOf(infos: readonly SeriesInfo[], settings: Settings): TimeseriesQuestion {
  const moment = (at: number | string) => new Date(Number(at) * 1000).toISOString().replace(".000Z", "Z");
  return {
    ...settings,
    from: moment(settings.from),
    to: moment(settings.to),
    telemetry: infos.slice(0, AT_ONCE).map(itemByHand),
  };
}

function itemByHand(info: SeriesInfo): Item {
  return { ...mainItem(info), ...(info.buckets !== undefined && { granularity: info.buckets.name }) };
}
