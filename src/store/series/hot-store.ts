// The points that are not sealed yet, in memory, by device and hour.

import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { HotHour } from "./hot-hour.ts";

export class HotStore {
  readonly #devices = new Map<number, Map<number, HotHour>>();
  #columns = 0;

  get points(): number {
    let points = 0;
    for (const hour of this.all()) points += hour.points;
    return points;
  }

  /** How many hours of series there are. */
  get columns(): number {
    return this.#columns;
  }

  /** Begins a message. The caller pushes its values to the returned hour. */
  begin(device: number, at: number, sequence: number): HotHour {
    const hour = this.#hour(device, Math.floor(at / HOUR_MS), sequence);
    hour.begin(at);
    hour.note(sequence);
    return hour;
  }

  /** Before the first value of a series in the hour. */
  addColumn(hour: HotHour, series: number, kind: ColumnKind): void {
    hour.add(series, kind);
    this.#columns++;
  }

  has(device: number, hour: number): boolean {
    return this.#devices.get(device)?.has(hour) === true;
  }

  get(device: number, hour: number): HotHour | undefined {
    return this.#devices.get(device)?.get(hour);
  }

  /** All hours of a device. */
  *ofDevice(device: number): Iterable<HotHour> {
    yield* this.#devices.get(device)?.values() ?? [];
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

  remove({ device, hour, width }: HotHour): void {
    const hours = this.#devices.get(device);
    if (hours?.delete(hour)) this.#columns -= width;
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
      found = new HotHour({ device, hour, firstSequence: sequence });
      hours.set(hour, found);
    }
    return found;
  }
}
