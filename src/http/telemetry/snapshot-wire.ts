import type { Snapshot } from "#service/ports/telemetry-store.ts";

export function renderSnapshot({ at, value }: Snapshot): object {
  return { value, timestamp: at / 1000 };
}

/** By attribute, as asked for or as declared. */
export function renderSnapshots(attributes: ReadonlyMap<string, Snapshot>): object {
  const values: Record<string, object> = Object.create(null);
  for (const [name, snapshot] of attributes) values[name] = renderSnapshot(snapshot);
  return values;
}
