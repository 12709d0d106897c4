import type { Database, Value } from "#store/database.ts";
import { listed } from "./row.ts";

/** A condition as a part of a statement, with its values. */
export interface Term {
  readonly sql: string;
  readonly values: readonly Value[];
}

const NOTHING: Term = { sql: "", values: [] };
/** With so many devices nearly every server is asked anyway. */
const MOST_NAMED = 200;

/**
 * Names the devices of what a statement asks for, where rows of devices are on several servers: then only theirs are asked.
 * Elsewhere it is empty, because an index that finds the rows need not have the device.
 */
export function ofDevices({ spread }: Pick<Database, "spread">, devices: Iterable<string>, column = "device_id"): Term {
  if (spread === undefined) return NOTHING;
  const named = new Set(devices);
  if (named.size > MOST_NAMED) return NOTHING;
  return { sql: ` AND ${column} IN (SELECT value FROM json_each(?))`, values: [listed(named)] };
}

/** The same for the device, where it is known. */
export function ofDevice(database: Pick<Database, "spread">, device: string | undefined): Term {
  return device === undefined ? NOTHING : ofDevices(database, [device]);
}
