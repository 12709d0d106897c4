// A query as the engine takes it: nothing is optional, and names are resolved to series.
import type { ColumnKind, ResolvedAggregation } from "#core/telemetry/aggregation.ts";

export interface SeriesItem {
  /** Undefined when the device has never sent the attribute. */
  readonly series: number | undefined;
  readonly device: number;
  readonly kind: ColumnKind;
  readonly aggregation: ResolvedAggregation;
  readonly granularityMs: number;
  /** Undefined: no gap filling. Otherwise how far before `from` a last value may lie. */
  readonly lookAroundMs: number | undefined;
}

export interface SeriesQuery {
  /** Unix milliseconds; [from, to). */
  readonly from: number;
  readonly to: number;
  readonly items: readonly SeriesItem[];
}
