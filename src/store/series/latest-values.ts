// The last value of every series as stored in the database. Memory may hold a later one.

import { itemAt } from "#core/item-at.ts";
import { isLater } from "#core/telemetry/latest-value.ts";
import type { Latest } from "./chunk.ts";
import { type Column, valueAt } from "./column.ts";

export class LatestValues {
  readonly #latest = new Map<number, Latest>();

  constructor(stored: readonly Latest[]) {
    this.put(stored);
  }

  /** The last of these of each series that has no later one. For equal times the later write counts, and these are later. */
  newer(values: readonly Latest[], now: number): readonly Latest[] {
    const newer = new Map<number, Latest>();
    for (const value of values) {
      const known = newer.get(value.series) ?? this.#latest.get(value.series);
      if (isLater(value.at, known?.at ?? Number.NEGATIVE_INFINITY, now)) newer.set(value.series, value);
    }
    return [...newer.values()];
  }

  put(stored: readonly Latest[]): void {
    for (const latest of stored) this.#latest.set(latest.series, latest);
  }

  delete(series: number): void {
    this.#latest.delete(series);
  }

  /** All values, with those that the database does not have yet. */
  with(values: readonly Latest[], now: number): readonly Latest[] {
    const all = new Map(this.#latest);
    for (const value of values)
      if (isLater(value.at, all.get(value.series)?.at ?? Number.NEGATIVE_INFINITY, now)) all.set(value.series, value);
    return [...all.values()];
  }
}

/** The last value of a column in order of time; none when it is empty. */
export function lastOf(series: number, column: Column): readonly Latest[] {
  const last = column.count - 1;
  return last < 0 ? [] : [{ series, at: itemAt(column.times, last), value: valueAt(column, last) }];
}
