// The last 24 hours of a value in its row: a curve of amounts, a strip of states. Pure.

import type { TelemetryType } from "#core/blueprint/blueprint.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import type { Column } from "#web/charts/paths.ts";
import type { Attribute } from "#web/data/manifest.ts";
import type { Points } from "#web/explore/read-items.ts";

export type RowGrid = { readonly from: number; readonly to: number; readonly bucketMs: number };

/** Undefined for what has no history. */
export function historyKind({ type, enum: values }: Pick<Attribute, "type" | "enum">): "amount" | "state" | undefined {
  if (type === "json") return undefined;
  return columnKind(type as TelemetryType) === "number" && values === undefined ? "amount" : "state";
}

/** The mean of each bucket of an amount, its last value otherwise: a mean of states would be none of them. */
export const itemFor = (device: string, attribute: Attribute) => ({
  device,
  attribute: attribute.id,
  aggregation: historyKind(attribute) === "amount" ? ("avg" as const) : ("last" as const),
});

export function timesOf({ from, to, bucketMs }: RowGrid): readonly number[] {
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / bucketMs)) }, (_, index) => from + index * bucketMs);
}

export function columnOf({ times, values }: Points, grid: RowGrid): Column {
  const column = new Array<number | undefined>(timesOf(grid).length).fill(undefined);
  for (const [index, at] of times.entries()) {
    const value = values[index];
    const place = Math.floor((at - grid.from) / grid.bucketMs);
    if (typeof value === "number" && place >= 0 && place < column.length) column[place] = value;
  }
  return column;
}

/** The grid of the last 24 hours, in whole buckets. */
export function lastDay(now: number, bucketMs = 300_000): RowGrid {
  const to = Math.ceil(now / bucketMs) * bucketMs;
  return { from: to - 86_400_000, to, bucketMs };
}
