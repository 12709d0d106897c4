// What a rule would have done with the stored past, for a chart and a few sentences. Pure.
import type { RuleDryRun, RuleDryRunBand } from "#client/resources.ts";
import type { AttributeRead } from "#core/rule/rule.ts";
import { findAttribute, findDevice, type RuleNames } from "./rule-names.ts";

export const RANGES = ["day", "week", "month", "own"] as const;
export type RangeName = (typeof RANGES)[number];
export type Range = { readonly from: number; readonly to: number };

const DAY = 86_400_000;
/** The service simulates no more at once. */
const LONGEST_RANGE = 31 * DAY;
const DAYS = { day: 1, week: 7, month: 31 } as const;

/** Undefined: what was chosen is no range that can be tried. */
export function rangeOf(
  name: RangeName,
  { now, from, to }: { readonly now: number; readonly from: string | undefined; readonly to: string | undefined },
): Range | undefined {
  if (name !== "own") return { from: now - DAYS[name] * DAY, to: now };
  const range = { from: Date.parse(from ?? ""), to: Math.min(Date.parse(to ?? ""), now) };
  return range.to > range.from && range.to - range.from <= LONGEST_RANGE ? range : undefined;
}

const STEPS = [60_000, 300_000, 900_000, 3_600_000, 10_800_000];
const MOST_BUCKETS = 300;

/** Whole buckets that a chart of this range can show. */
export function gridOf({ from, to }: Range) {
  const bucketMs = STEPS.find((step) => (to - from) / step <= MOST_BUCKETS) ?? 3 * 3_600_000;
  return { from: Math.floor(from / bucketMs) * bucketMs, to: Math.ceil(to / bucketMs) * bucketMs, bucketMs };
}

export type Track = {
  readonly device: string;
  readonly control: string;
  readonly unit: string | undefined;
  readonly bands: readonly (RuleDryRunBand & Stretch)[];
};
type Stretch = { readonly start: number; readonly end: number };

/** The claims of each control, as stretches of time. */
export function tracksOf({ bands, claims }: Pick<RuleDryRun, "bands" | "claims">): readonly Track[] {
  const groups = Map.groupBy(bands, ({ device_id, control }) => `${device_id} ${control}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { device_id: device, control } = first;
    const unit = claims.find((one) => one.device_id === device && one.control === control)?.unit ?? undefined;
    const timed = group.map((band) => ({ ...band, start: Date.parse(band.from), end: Date.parse(band.to) }));
    return [{ device, control, unit, bands: timed.toSorted((one, other) => one.start - other.start) }];
  });
}

export const bandsAt = ({ bands }: Track, at: number): Track["bands"] =>
  bands.filter(({ start, end }) => at >= start && at < end);

/** Watt hours of all claims together; undefined if none is a power. */
export function energyOf({ claims }: Pick<RuleDryRun, "claims">): number | undefined {
  const known = claims.flatMap(({ energy_wh }) => energy_wh ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}

export type Line = {
  readonly device: string;
  readonly attribute: string;
  readonly name: string;
  readonly unit: string | undefined;
};
const MOST_LINES = 4;

/** Those values that the rule reads and that can be drawn as a curve. */
export function linesOf(reads: readonly AttributeRead[], names: RuleNames): readonly Line[] {
  const lines = reads.flatMap(({ device, attribute }): readonly Line[] => {
    const found = findDevice(names, device);
    const known = findAttribute(found, attribute);
    if (found === undefined || known === undefined || (known.type !== "float" && known.type !== "integer")) return [];
    return [
      {
        device: found.id,
        attribute: known.name,
        name: `${found.name}: ${known.display_name}`,
        unit: known.unit ?? undefined,
      },
    ];
  });
  return [...new Map(lines.map((line) => [`${line.device} ${line.attribute}`, line])).values()].slice(0, MOST_LINES);
}

/** A curve in a box of this size. It breaks where values are missing. */
export function curve(
  values: readonly (number | undefined)[],
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return "";
  const low = known.reduce((one, other) => Math.min(one, other), known[0] ?? 0);
  const high = known.reduce((one, other) => Math.max(one, other), known[0] ?? 0);
  const y = (value: number) => (high === low ? height / 2 : height - ((value - low) / (high - low)) * height);
  const x = (index: number) => ((index + 0.5) / values.length) * width;
  let path = "";
  let isOpen = false;
  for (const [index, value] of values.entries()) {
    if (value === undefined) isOpen = false;
    else {
      path += `${isOpen ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      isOpen = true;
    }
  }
  return path;
}
