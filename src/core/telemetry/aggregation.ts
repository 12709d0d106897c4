import type { TelemetryType } from "#core/blueprint/blueprint.ts";

export const AGGREGATIONS = [
  "auto",
  "avg",
  "last",
  "min",
  "max",
  "sum",
  "count",
  "first",
  "bool_or",
  "delta",
  "integral",
  "integral_positive",
  "integral_negative",
  "min_max",
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];
/** What one column holds: `min_max` is a column of each. */
export type ResolvedAggregation = Exclude<Aggregation, "auto" | "min_max">;

/** How a column is kept. Lists are kept as their JSON text. */
export type ColumnKind = "number" | "boolean" | "text";

/** What a column of an answer holds. */
export type ColumnType = "float" | "integer" | "string" | "boolean";

const COLUMN_TYPE: Readonly<Record<TelemetryType, ColumnType>> = {
  float: "float",
  integer: "integer",
  boolean: "boolean",
  string: "string",
  array_of_strings: "string",
  alerts: "string",
};

const INTEGRALS = ["integral", "integral_positive", "integral_negative"] as const;
export type Integral = (typeof INTEGRALS)[number];

export function isIntegral(aggregation: Aggregation): aggregation is Integral {
  return INTEGRALS.some((one) => one === aggregation);
}

const ALLOWED: Readonly<Record<ColumnKind, readonly Exclude<Aggregation, "auto">[]>> = {
  number: ["avg", "last", "min", "max", "sum", "count", "first", "delta", ...INTEGRALS, "min_max"],
  boolean: ["last", "count", "first", "bool_or"],
  text: ["last", "count", "first"],
};

export function columnKind(type: TelemetryType): ColumnKind {
  const column = COLUMN_TYPE[type];
  if (column === "float" || column === "integer") return "number";
  return column === "boolean" ? "boolean" : "text";
}

/** The aggregations that are meant, one for each column; none when the type does not have it. */
export function resolveAggregation(asked: Aggregation, type: TelemetryType): readonly ResolvedAggregation[] {
  const kind = columnKind(type);
  const resolved = asked === "auto" ? (kind === "number" ? "avg" : "last") : asked;
  if (!ALLOWED[kind].includes(resolved)) return [];
  return resolved === "min_max" ? ["min", "max"] : [resolved];
}

/** Whether a value may stand for the buckets after its own. What rose or flowed in one bucket did not in the next. */
export function canBeCarried(aggregation: Aggregation): boolean {
  return aggregation !== "delta" && !isIntegral(aggregation);
}

export function allowedAggregations(type: TelemetryType): readonly Aggregation[] {
  return ["auto", ...ALLOWED[columnKind(type)]];
}

export function resultType(aggregation: ResolvedAggregation, type: TelemetryType): ColumnType {
  if (aggregation === "avg" || isIntegral(aggregation)) return "float";
  if (aggregation === "count") return "integer";
  return COLUMN_TYPE[type];
}
