// The points that are not sealed yet, in memory, by device and hour. Points may come late, twice and in any order; of two
// with the same series and time the one that came later counts.
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { Scalar } from "./batch.ts";
import { type Column, sortColumn } from "./column.ts";

export const HOUR_MS = 3_600_000;

/** Points of one series in the order of arrival. */
class HotColumn {
  readonly kind: ColumnKind;
  count = 0;
  isSorted = true;
  #times = new Float64Array(64);
  #numbers: Float64Array | Uint8Array;
  #texts: string[] = [];

  constructor(kind: ColumnKind) {
    this.kind = kind;
    this.#numbers = kind === "number" ? new Float64Array(64) : new Uint8Array(kind === "boolean" ? 64 : 0);
  }

  push(at: number, value: Scalar): void {
    const { count } = this;
    if (count === this.#times.length) this.#grow();
    if (count > 0 && at <= (this.#times[count - 1] ?? 0)) this.isSorted = false;
    this.#times[count] = at;
    if (this.kind === "text") this.#texts.push(String(value));
    else this.#numbers[count] = Number(value);
    this.count = count + 1;
  }

  /** Sorted, each time once. The arrays are copies. */
  column(): Column {
    const { kind, count } = this;
    const times = this.#times.slice(0, count);
    const values = kind === "text" ? this.#texts.slice() : this.#numbers.slice(0, count);
    const column = { kind, count, times, values };
    return this.isSorted ? column : sortColumn(column);
  }

  #grow(): void {
    const room = this.#times.length * 2;
    const times = new Float64Array(room);
    times.set(this.#times);
    this.#times = times;
    if (this.kind === "text") return;
    const numbers = this.kind === "number" ? new Float64Array(room) : new Uint8Array(room);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

export interface HotHour {
  readonly device: number;
  /** Hours since 1970. */
  readonly hour: number;
  readonly columns: Map<number, HotColumn>;
  /** By what they take in memory: a text of 16 characters more counts as one point more. */
  points: number;
  /** The oldest journal row with points of this hour: the journal is needed from there on. */
  readonly firstSequence: number;
  /** The newest one. */
  lastSequence: number;
}

export class HotStore {
  readonly #devices = new Map<number, Map<number, HotHour>>();
  #points = 0;

  get points(): number {
    return this.#points;
  }

  push(
    place: { readonly device: number; readonly series: number; readonly kind: ColumnKind; readonly sequence: number },
    at: number,
    value: Scalar,
  ): void {
    const index = Math.floor(at / HOUR_MS);
    const hour = this.#hour(place.device, index, place.sequence);
    let column = hour.columns.get(place.series);
    if (column === undefined) {
      column = new HotColumn(place.kind);
      hour.columns.set(place.series, column);
    }
    column.push(at, value);
    const weight = typeof value === "string" ? 1 + (value.length >> 4) : 1;
    hour.lastSequence = place.sequence;
    hour.points += weight;
    this.#points += weight;
  }

  has(device: number, hour: number): boolean {
    return this.#devices.get(device)?.has(hour) === true;
  }

  /** The hours of a device that touch [from, to), in order. */
  *hours(device: number, from: number, to: number): Iterable<HotHour> {
    const hours = this.#devices.get(device);
    if (hours === undefined) return;
    const touching = [...hours.values()].filter(({ hour }) => (hour + 1) * HOUR_MS > from && hour * HOUR_MS < to);
    yield* touching.sort((a, b) => a.hour - b.hour);
  }

  *all(): Iterable<HotHour> {
    for (const hours of this.#devices.values()) yield* hours.values();
  }

  remove({ device, hour, points }: HotHour): void {
    const hours = this.#devices.get(device);
    if (hours?.delete(hour)) this.#points -= points;
    if (hours?.size === 0) this.#devices.delete(device);
  }

  removeDevice(device: number): void {
    for (const hour of [...(this.#devices.get(device)?.values() ?? [])]) this.remove(hour);
  }

  #hour(device: number, hour: number, sequence: number): HotHour {
    let hours = this.#devices.get(device);
    if (hours === undefined) {
      hours = new Map();
      this.#devices.set(device, hours);
    }
    let found = hours.get(hour);
    if (found === undefined) {
      found = { device, hour, columns: new Map(), points: 0, firstSequence: sequence, lastSequence: sequence };
      hours.set(hour, found);
    }
    return found;
  }
}
