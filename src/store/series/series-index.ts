// Maps series to their numbers, on the thread that receives messages.
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { SeriesDefinition } from "./batch.ts";

interface IndexedDevice {
  readonly device: number;
  /** By kind and attribute: an attribute whose type changed has a series of each kind. */
  readonly series: Readonly<Record<ColumnKind, Map<string, SeriesDefinition>>>;
}

export class SeriesIndex {
  readonly #devices = new Map<string, IndexedDevice>();
  /** Numbers of series whose definitions no commit has stored yet. */
  readonly #unstored = new Set<number>();
  #lastDevice = 0;
  #lastSeries = 0;
  #count = 0;

  constructor(definitions: Iterable<SeriesDefinition>) {
    this.learn(definitions);
  }

  /** Stored definitions. */
  learn(definitions: Iterable<SeriesDefinition>): void {
    for (const definition of definitions) {
      this.#lastDevice = Math.max(this.#lastDevice, definition.device);
      this.#lastSeries = Math.max(this.#lastSeries, definition.series);
      const { deviceId, device, kind, attribute } = definition;
      const { series } = this.#deviceOf(deviceId, device);
      if (!series[kind].has(attribute)) this.#count++;
      series[kind].set(attribute, definition);
    }
  }

  /** How many series are known. */
  get size(): number {
    return this.#count;
  }

  find(deviceId: string, attribute: string, kind: ColumnKind): SeriesDefinition | undefined {
    return this.#devices.get(deviceId)?.series[kind].get(attribute);
  }

  /** Creates a series that `find` did not know. Every batch must carry its definition until one has been stored. */
  define(deviceId: string, attribute: string, kind: ColumnKind): SeriesDefinition {
    const { device, series } = this.#deviceOf(deviceId);
    const definition = { series: ++this.#lastSeries, device, deviceId, attribute, kind };
    series[kind].set(attribute, definition);
    this.#count++;
    this.#unstored.add(definition.series);
    return definition;
  }

  isStored({ series }: SeriesDefinition): boolean {
    return this.#unstored.size === 0 || !this.#unstored.has(series);
  }

  noteStored(definitions: Iterable<SeriesDefinition>): void {
    for (const { series } of definitions) this.#unstored.delete(series);
  }

  *all(): Iterable<SeriesDefinition> {
    for (const { series } of this.#devices.values()) {
      for (const byAttribute of Object.values(series)) yield* byAttribute.values();
    }
  }

  ofDevice(deviceId: string): readonly SeriesDefinition[] {
    const found = this.#devices.get(deviceId);
    return found === undefined ? [] : Object.values(found.series).flatMap((byAttribute) => [...byAttribute.values()]);
  }

  #deviceOf(deviceId: string, number?: number): IndexedDevice {
    let found = this.#devices.get(deviceId);
    if (found === undefined) {
      const series = { number: new Map(), boolean: new Map(), text: new Map() };
      found = { device: number ?? ++this.#lastDevice, series };
      this.#devices.set(deviceId, found);
    }
    return found;
  }
}
