import type { Snapshot } from "#service/ports.ts";

/** By attribute, as asked for or as declared. */
export function renderSnapshots(attributes: ReadonlyMap<string, Snapshot>): object {
  const values: Record<string, object> = Object.create(null);
  for (const [name, { at, value }] of attributes) values[name] = { value, timestamp: at / 1000 };
  return values;
}
