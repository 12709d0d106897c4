// Values of one series with their times, in rising order of time and without repeated times.
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { Scalar } from "./batch.ts";

/** Booleans are 0 and 1. */
export type ColumnValues = Float64Array | Uint8Array | readonly string[];

export interface Column {
  readonly kind: ColumnKind;
  readonly count: number;
  /** At least `count` long; Unix milliseconds. */
  readonly times: Float64Array;
  readonly values: ColumnValues;
}

/** The value as it stands in answers. */
export function valueAt({ kind, values }: Pick<Column, "kind" | "values">, index: number): Scalar {
  const value = values[index];
  if (kind === "boolean") return value === 1;
  return value ?? (kind === "text" ? "" : 0);
}

/** Both as one; where they have the same time, `later` wins. */
export function mergeColumns(earlier: Column, later: Column): Column {
  if (earlier.count === 0) return later;
  if (later.count === 0) return earlier;
  const { kind } = earlier;
  const room = earlier.count + later.count;
  const times = new Float64Array(room);
  const texts: string[] = [];
  const numbers = kind === "number" ? new Float64Array(room) : new Uint8Array(kind === "boolean" ? room : 0);
  let [a, b, count] = [0, 0, 0];
  while (a < earlier.count || b < later.count) {
    const timeA = a < earlier.count ? (earlier.times[a] ?? 0) : Number.POSITIVE_INFINITY;
    const timeB = b < later.count ? (later.times[b] ?? 0) : Number.POSITIVE_INFINITY;
    const isLater = timeB <= timeA;
    const value = isLater ? later.values[b] : earlier.values[a];
    times[count] = isLater ? timeB : timeA;
    if (kind === "text") texts.push(String(value));
    else numbers[count] = Number(value);
    if (timeA <= timeB) a++;
    if (isLater) b++;
    count++;
  }
  return { kind, count, times, values: kind === "text" ? texts : numbers };
}
