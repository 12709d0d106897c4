import type { TelemetryType } from "#core/blueprint/blueprint.ts";

export const AGGREGATIONS = ["auto", "avg", "last", "min", "max", "sum", "count", "first", "bool_or"] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];
export type ResolvedAggregation = Exclude<Aggregation, "auto">;

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

const ALLOWED: Readonly<Record<ColumnKind, readonly ResolvedAggregation[]>> = {
  number: ["avg", "last", "min", "max", "sum", "count", "first"],
  boolean: ["last", "count", "first", "bool_or"],
  text: ["last", "count", "first"],
};

export function columnKind(type: TelemetryType): ColumnKind {
  const column = COLUMN_TYPE[type];
  if (column === "float" || column === "integer") return "number";
  return column === "boolean" ? "boolean" : "text";
}

/** The aggregation that is meant, or undefined when the type does not have it. */
export function resolveAggregation(asked: Aggregation, type: TelemetryType): ResolvedAggregation | undefined {
  const kind = columnKind(type);
  const resolved = asked === "auto" ? (kind === "number" ? "avg" : "last") : asked;
  return ALLOWED[kind].includes(resolved) ? resolved : undefined;
}

export function allowedAggregations(type: TelemetryType): readonly Aggregation[] {
  return ["auto", ...ALLOWED[columnKind(type)]];
}

export function resultType(aggregation: ResolvedAggregation, type: TelemetryType): ColumnType {
  if (aggregation === "avg") return "float";
  if (aggregation === "count") return "integer";
  return COLUMN_TYPE[type];
}
