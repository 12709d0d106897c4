import type { TelemetryType } from "#core/blueprint/blueprint.ts";

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

interface AggregationRule {
  /** The kinds of values that have it. */
  readonly of: readonly ColumnKind[];
  /** What its column holds, if not the same as the values. */
  readonly gives?: ColumnType;
  /** What rose or flowed in one bucket did not in the next: it is not carried there. */
  readonly isAmount?: true;
}

const NUMBERS = ["number"] as const;
const EVERYTHING = ["number", "boolean", "text"] as const;
const INTEGRAL = { of: NUMBERS, gives: "float", isAmount: true } as const;

/** Every aggregation. What each does with the points of a bucket is in store/series/accumulators.ts. */
const RULES = {
  avg: { of: NUMBERS, gives: "float" },
  last: { of: EVERYTHING },
  min: { of: NUMBERS },
  max: { of: NUMBERS },
  sum: { of: NUMBERS },
  count: { of: EVERYTHING, gives: "integer" },
  first: { of: EVERYTHING },
  bool_or: { of: ["boolean"] },
  delta: { of: NUMBERS, isAmount: true },
  integral: INTEGRAL,
  integral_positive: INTEGRAL,
  integral_negative: INTEGRAL,
  min_max: { of: NUMBERS },
} as const satisfies Readonly<Record<string, AggregationRule>>;

type NamedAggregation = keyof typeof RULES;
export type Aggregation = "auto" | NamedAggregation;
/** What one column holds: `min_max` is a column of each. */
export type ResolvedAggregation = Exclude<NamedAggregation, "min_max">;

const NAMES = Object.keys(RULES) as readonly NamedAggregation[];
export const AGGREGATIONS: readonly Aggregation[] = ["auto", ...NAMES];

export type Integral = Extract<Aggregation, `integral${string}`>;

export function isIntegral(aggregation: Aggregation): aggregation is Integral {
  return aggregation.startsWith("integral");
}

export function columnKind(type: TelemetryType): ColumnKind {
  const column = COLUMN_TYPE[type];
  if (column === "float" || column === "integer") return "number";
  return column === "boolean" ? "boolean" : "text";
}

/** Those that values of this kind have. */
export function aggregationsOf(kind: ColumnKind): readonly NamedAggregation[] {
  return NAMES.filter((name) => ruleOf(name).of.includes(kind));
}

function ruleOf(name: NamedAggregation): AggregationRule {
  return RULES[name];
}

/** The aggregations that are meant, one for each column; none when the type does not have it. */
export function resolveAggregation(asked: Aggregation, type: TelemetryType): readonly ResolvedAggregation[] {
  const kind = columnKind(type);
  const resolved = asked === "auto" ? (kind === "number" ? "avg" : "last") : asked;
  if (!ruleOf(resolved).of.includes(kind)) return [];
  return resolved === "min_max" ? ["min", "max"] : [resolved];
}

/** Whether a value may stand for the buckets after its own. */
export function canBeCarried(aggregation: Aggregation): boolean {
  return aggregation === "auto" || ruleOf(aggregation).isAmount !== true;
}

export function allowedAggregations(type: TelemetryType): readonly Aggregation[] {
  return ["auto", ...aggregationsOf(columnKind(type))];
}

export function resultType(aggregation: ResolvedAggregation, type: TelemetryType): ColumnType {
  return ruleOf(aggregation).gives ?? COLUMN_TYPE[type];
}
