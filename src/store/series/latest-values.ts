// The last value of every series, and which of them the database does not have yet.
import type { Scalar } from "./batch.ts";
import { type Column, valueAt } from "./column.ts";
import type { Latest } from "./keeper.ts";

export class LatestValues {
  readonly #latest = new Map<number, { series: number; at: number; value: Scalar }>();
  readonly #changed = new Set<number>();

  constructor(stored: readonly Latest[]) {
    this.put(stored);
  }

  all(): readonly Latest[] {
    return [...this.#latest.values()];
  }

  /** Takes the point unless a later one is known. Of equal times the one that comes last counts. */
  note(series: number, at: number, value: Scalar): void {
    const latest = this.#latest.get(series);
    if (latest === undefined) this.#latest.set(series, { series, at, value });
    else if (at < latest.at) return;
    else {
      latest.at = at;
      latest.value = value;
    }
    this.#changed.add(series);
  }

  /** What these columns would change; each is in order of time. */
  newerIn(columns: Iterable<readonly [series: number, column: Column]>): readonly Latest[] {
    const newer: Latest[] = [];
    for (const [series, column] of columns) {
      const at = column.times[column.count - 1];
      const known = this.#latest.get(series);
      if (at === undefined || column.count === 0 || (known !== undefined && known.at > at)) continue;
      newer.push({ series, at, value: valueAt(column, column.count - 1) });
    }
    return newer;
  }

  /** Takes values that the database has. */
  put(stored: readonly Latest[]): void {
    for (const latest of stored) this.#latest.set(latest.series, { ...latest });
  }

  delete(series: number): void {
    this.#latest.delete(series);
  }

  /** What the database does not have yet. */
  changed(): readonly Latest[] {
    return [...this.#changed].flatMap((series) => this.#latest.get(series) ?? []);
  }

  /** The database has everything. */
  settle(): void {
    this.#changed.clear();
  }
}
