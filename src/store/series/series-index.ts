// Which number stands for which series, on the thread that takes messages in.
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { SeriesDefinition } from "./batch.ts";

export class SeriesIndex {
  readonly #devices = new Map<string, { readonly device: number; readonly series: Map<string, SeriesDefinition> }>();
  #lastDevice = 0;
  #lastSeries = 0;

  constructor(definitions: Iterable<SeriesDefinition>) {
    for (const definition of definitions) {
      this.#lastDevice = Math.max(this.#lastDevice, definition.device);
      this.#lastSeries = Math.max(this.#lastSeries, definition.series);
      this.#deviceOf(definition.deviceId, definition.device).series.set(
        keyOf(definition.attribute, definition.kind),
        definition,
      );
    }
  }

  find(deviceId: string, attribute: string, kind: ColumnKind): SeriesDefinition | undefined {
    return this.#devices.get(deviceId)?.series.get(keyOf(attribute, kind));
  }

  /** Makes a series that `find` did not know. */
  define(deviceId: string, attribute: string, kind: ColumnKind): SeriesDefinition {
    const { device, series } = this.#deviceOf(deviceId);
    const definition = { series: ++this.#lastSeries, device, deviceId, attribute, kind };
    series.set(keyOf(attribute, kind), definition);
    return definition;
  }

  /** Takes back a definition that could not be stored. */
  undefine({ deviceId, attribute, kind }: SeriesDefinition): void {
    this.#devices.get(deviceId)?.series.delete(keyOf(attribute, kind));
  }

  *all(): Iterable<SeriesDefinition> {
    for (const { series } of this.#devices.values()) yield* series.values();
  }

  #deviceOf(
    deviceId: string,
    number?: number,
  ): { readonly device: number; readonly series: Map<string, SeriesDefinition> } {
    let found = this.#devices.get(deviceId);
    if (found === undefined) {
      found = { device: number ?? ++this.#lastDevice, series: new Map() };
      this.#devices.set(deviceId, found);
    }
    return found;
  }
}

function keyOf(attribute: string, kind: ColumnKind): string {
  return `${kind} ${attribute}`;
}
