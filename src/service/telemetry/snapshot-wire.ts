import type { CurrentValue } from "#service/telemetry/read-now.ts";

export function renderSnapshot({ at, value }: CurrentValue): object {
  return { value, timestamp: at / 1000 };
}

/** By attribute, as asked for or as declared. */
export function renderSnapshots(attributes: ReadonlyMap<string, CurrentValue>): object {
  const values: Record<string, object> = Object.create(null);
  for (const [name, snapshot] of attributes) values[name] = renderSnapshot(snapshot);
  return values;
}
