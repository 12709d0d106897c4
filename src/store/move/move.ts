// Moves an installation: telemetry first, because it is most of it and can be continued, then all records in one
// transaction.
import { moveRecords } from "./move-records.ts";
import type { MoveSide } from "./move-side.ts";
import { type MovedTelemetry, moveTelemetry } from "./move-telemetry.ts";

export interface Moved {
  readonly telemetry: Readonly<MovedTelemetry>;
  /** Rows by table. */
  readonly records: ReadonlyMap<string, number>;
}

export async function move(
  from: MoveSide,
  to: MoveSide,
  onProgress: (moved: Readonly<MovedTelemetry>) => void,
): Promise<Moved> {
  const telemetry = await moveTelemetry(from.telemetry, to.telemetry, onProgress);
  await to.held.replace(await from.held.read());
  const tables = from.tables ?? to.tables;
  if (tables === undefined) throw new Error("no side knows the tables");
  const records = await moveRecords(from.records, to.records, tables);
  await to.finish();
  return { telemetry, records };
}
