// What is known about a chosen series before its values are read.
import type { TelemetryType } from "#core/blueprint/blueprint.ts";
import {
  type Aggregation,
  allowedAggregations,
  canBeCarried,
  columnKind,
  isIntegral,
} from "#core/telemetry/aggregation.ts";
import type { Attribute, Manifest } from "#web/data/manifest.ts";
import type { SeriesSpec } from "./explore-state.ts";
import type { Granularity } from "./granularity.ts";

/** What Explore needs to know of a device. */
export type ExploredDevice = {
  readonly id: string;
  readonly name: string;
  readonly manifest: Manifest;
};

export type SeriesInfo = {
  readonly spec: SeriesSpec;
  readonly device: ExploredDevice | undefined;
  readonly attribute: Attribute | undefined;
  /** `state`: no amount, but one of several words. */
  readonly kind: "number" | "state";
  /** Which one is asked for. */
  readonly aggregation: Aggregation;
  /** Code of the values after aggregation. */
  readonly unit: string | undefined;
  /** Units in which the manifest wants it shown, after aggregation. */
  readonly autoScale: readonly string[];
  /** How these values may be aggregated; empty when the attribute is not known. */
  readonly aggregations: readonly Aggregation[];
  readonly canBeFilled: boolean;
  /** Sums over time are drawn as steps: each holds for its bucket. */
  readonly isStepped: boolean;
  /** Its own buckets. Undefined: those of the chart. */
  readonly buckets?: Granularity | undefined;
};

const TYPES: ReadonlySet<string> = new Set(["float", "integer", "boolean", "string", "array_of_strings", "alerts"]);

/** Attributes that have a history. */
export function explorable({ telemetry }: Manifest): readonly Attribute[] {
  return [...telemetry.values()].filter(({ type }) => TYPES.has(type));
}

export function describeSeries(spec: SeriesSpec, device: ExploredDevice | undefined): SeriesInfo {
  const attribute = device === undefined ? undefined : findByName(device.manifest, spec.attribute);
  const type = attribute === undefined || !TYPES.has(attribute.type) ? undefined : (attribute.type as TelemetryType);
  const isAmount = type !== undefined && columnKind(type) === "number" && attribute?.enum === undefined;
  // A mean of the numbers of an enum would be none of its values.
  const aggregation = spec.aggregation === "auto" && attribute?.enum !== undefined ? "last" : spec.aggregation;
  return {
    spec,
    device,
    attribute,
    kind: type === undefined || isAmount || COUNTS.has(aggregation) ? "number" : "state",
    aggregation,
    unit: unitAfter(attribute?.unit, aggregation),
    autoScale: (attribute?.autoScale ?? []).flatMap((unit) => unitAfter(unit, aggregation) ?? []),
    aggregations: type === undefined ? [] : allowedAggregations(type),
    canBeFilled: canBeCarried(aggregation),
    isStepped: COUNTS.has(aggregation) || isIntegral(aggregation),
  };
}

/** Of any type of value these make an amount that belongs to its bucket. */
const COUNTS: ReadonlySet<Aggregation> = new Set<Aggregation>(["count", "sum", "delta"]);

function findByName({ telemetry }: Manifest, name: string): Attribute | undefined {
  return telemetry.get(name) ?? [...telemetry.values()].find(({ aliases }) => aliases.includes(name));
}

/** Power over time is energy: `kW` becomes `kW.h`. */
function unitAfter(unit: string | undefined, aggregation: Aggregation): string | undefined {
  if (aggregation === "count") return undefined;
  return unit !== undefined && isIntegral(aggregation) ? `${unit}.h` : unit;
}
