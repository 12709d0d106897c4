// The number of the latest change never falls, also when the execution that had it is deleted.
import type { Database, WriteDatabase } from "#store/database.ts";
import { optionalNumber } from "./row.ts";

const NOTE = `INSERT INTO execution_change (id, deleted) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET deleted = excluded.deleted WHERE execution_change.deleted < excluded.deleted`;

/** Comes with the deletion of executions whose highest number is given. */
export function noteDeletedNumber(database: WriteDatabase, highest: number): void {
  database.send(NOTE, highest);
}

/** Before a device is deleted, and its executions with it. */
export async function noteNumbersOf(database: WriteDatabase, deviceId: string): Promise<void> {
  const highest = await highestNumberOf(database, deviceId);
  if (highest !== undefined) noteDeletedNumber(database, highest);
}

async function highestNumberOf(database: Database, deviceId: string): Promise<number | undefined> {
  const sql = "SELECT max(changed) AS highest FROM execution WHERE device_id = ?";
  return optionalNumber(await database.one(sql, deviceId), "highest");
}
