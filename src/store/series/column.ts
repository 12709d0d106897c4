// Values of one series with their times, in rising order of time and without repeated times.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { itemAt } from "#core/item-at.ts";
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

/** The value in the form that answers use. */
export function valueAt({ kind, values }: Pick<Column, "kind" | "values">, index: number): Scalar {
  const value = values[index];
  if (kind === "boolean") return value === 1;
  return value ?? (kind === "text" ? "" : 0);
}

/** Index of the first point at or after `time`. */
export function lowerBound({ times, count }: Pick<Column, "times" | "count">, time: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges both; where they have the same time, `later` wins. */
export function mergeColumns(earlier: Column, later: Column): Column {
  if (earlier.count === 0) return later;
  if (later.count === 0) return earlier;
  if (itemAt(earlier.times, earlier.count - 1) < itemAt(later.times, 0)) return concatColumns([earlier, later]);
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

/** Merges all; they are ordered from the earliest write to the latest. */
export function joinColumns(columns: readonly [Column, ...Column[]]): Column {
  const isInOrder = columns.every((column, i) => {
    const before = columns[i - 1];
    return before === undefined || itemAt(before.times, before.count - 1) < itemAt(column.times, 0);
  });
  return isInOrder ? concatColumns(columns) : columns.reduce(mergeColumns);
}

/** Joins columns that follow each other in time. */
function concatColumns(columns: readonly [Column, ...Column[]]): Column {
  const [{ kind }] = columns;
  if (columns.length === 1) return columns[0];
  const count = columns.reduce((sum, column) => sum + column.count, 0);
  const times = new Float64Array(count);
  const texts: string[] = [];
  const numbers = kind === "number" ? new Float64Array(count) : new Uint8Array(kind === "boolean" ? count : 0);
  let at = 0;
  for (const column of columns) {
    times.set(column.times.subarray(0, column.count), at);
    if (kind === "text") for (let i = 0; i < column.count; i++) texts.push(String(column.values[i]));
    else numbers.set((column.values as Float64Array).subarray(0, column.count), at);
    at += column.count;
  }
  return { kind, count, times, values: kind === "text" ? texts : numbers };
}

/** Turns points in any order and with repeated times into a column. For equal times the last one stays. */
export function sortColumn(column: Column): Column {
  const { kind, count, times, values } = column;
  let isSorted = true;
  for (let i = 1; i < count && isSorted; i++) isSorted = (times[i - 1] ?? 0) < (times[i] ?? 0);
  if (isSorted) return column;
  const time = (index: number) => times[index] ?? 0;
  const order = Uint32Array.from({ length: count }, (_, index) => index).sort((a, b) => time(a) - time(b) || a - b);
  const kept = order.filter((index, i) => i + 1 === order.length || time(index) !== time(order[i + 1] ?? 0));
  return pickPoints({ kind, count, times, values }, kept);
}

function pickPoints({ kind, times, values }: Column, picked: Uint32Array): Column {
  const count = picked.length;
  const own = Float64Array.from(picked, (index) => times[index] ?? 0);
  if (kind === "text") return { kind, count, times: own, values: Array.from(picked, (i) => String(values[i] ?? "")) };
  const numbers = kind === "number" ? new Float64Array(count) : new Uint8Array(count);
  for (let i = 0; i < count; i++) numbers[i] = Number(values[picked[i] ?? 0] ?? 0);
  return { kind, count, times: own, values: numbers };
}

/** The points from index `from` to before index `to`. */
export function sliceColumn({ kind, times, values }: Column, from: number, to: number): Column {
  const part = Array.isArray(values) ? values.slice(from, to) : (values as Float64Array).subarray(from, to);
  return { kind, count: to - from, times: times.subarray(from, to), values: part };
}
