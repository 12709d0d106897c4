// A query as the engine takes it: nothing is optional, and names are resolved to series.
import { type ColumnKind, isIntegral, type ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { type CounterRule, LASTS_MS } from "#core/telemetry/counter-rule.ts";
import type { Calendar } from "#core/time/calendar.ts";
import type { StoreState } from "./chunk-reader.ts";

/** How long `integral` holds a value that no other one follows: a longer gap is unknown, and counts nothing. */
export const HELD_MS = 30 * 60_000;
/** `delta` compares with the last value before the range, however old: this is longer than there can be telemetry. */
const ANY_AGE_MS = 200 * 365 * 86_400_000;

export interface SeriesItem {
  /** Undefined when the device has never sent the attribute. */
  readonly series: number | undefined;
  readonly device: number;
  readonly kind: ColumnKind;
  readonly aggregation: ResolvedAggregation;
  /** With a calendar, no bucket is shorter. */
  readonly granularityMs: number;
  /** Buckets follow it instead of the fixed length. */
  readonly calendar?: Calendar | undefined;
  /** Undefined: no gap filling. Otherwise how far before `from` a last value may lie. */
  readonly lookAroundMs: number | undefined;
  /** Of a delta; undefined: a counter that may rise by any amount. */
  readonly counter?: CounterRule | undefined;
}

export interface SeriesQuery {
  /** Unix milliseconds; [from, to). */
  readonly from: number;
  readonly to: number;
  readonly items: readonly SeriesItem[];
  /** The state that the unsealed points were taken from. */
  readonly since?: StoreState;
}

/** How far outside of its range a query reads points of the item. */
export function reachOf({
  aggregation,
  lookAroundMs = 0,
}: Pick<SeriesItem, "aggregation"> & { readonly lookAroundMs?: number | undefined }): {
  readonly before: number;
  readonly after: number;
  /** All points of this time before the range are read, and not only the last one. */
  readonly replayed: number;
} {
  if (isIntegral(aggregation)) return { before: HELD_MS, after: HELD_MS, replayed: 0 };
  if (aggregation === "delta") return { before: ANY_AGE_MS, after: 0, replayed: LASTS_MS };
  return { before: lookAroundMs, after: 0, replayed: 0 };
}
