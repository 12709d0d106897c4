// What scripts keep, of devices and of rules: two tables of the same shape.
import type { ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { Database } from "#store/database.ts";
import { number } from "./row.ts";

interface Kept {
  readonly table: "script_storage" | "rule_storage";
  readonly column: "device_id" | "rule_id";
  /** Where its owners are. */
  readonly owners: "device" | "site_rule";
}

export const OF_DEVICES: Kept = { table: "script_storage", column: "device_id", owners: "device" };
export const OF_RULES: Kept = { table: "rule_storage", column: "rule_id", owners: "site_rule" };

interface Entry {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly limits: ScriptStoreLimits;
}

export async function putEntry(
  database: Database,
  { table, column, owners }: Kept,
  { id, key, value, limits }: Entry,
): Promise<"stored" | "full" | "gone"> {
  if ((await database.get(`SELECT 1 AS found FROM ${owners} WHERE id = ?`, id)) === undefined) return "gone";
  const others = await database.one(
    `SELECT count(*) AS entries, coalesce(sum(length(key) + length(value)), 0) AS bytes
     FROM ${table} WHERE ${column} = ? AND key <> ?`,
    id,
    bytesOf(key),
  );
  if (number(others, "entries") + 1 > limits.entries) return "full";
  if (number(others, "bytes") + key.length + value.length > limits.bytes) return "full";
  await database.run(
    `INSERT INTO ${table} (${column}, key, value) VALUES (?, ?, ?)
     ON CONFLICT (${column}, key) DO UPDATE SET value = excluded.value`,
    id,
    bytesOf(key),
    bytesOf(value),
  );
  return "stored";
}

export async function removeEntry(
  database: Database,
  { table, column }: Kept,
  { id, key }: Pick<Entry, "id" | "key">,
): Promise<void> {
  await database.run(`DELETE FROM ${table} WHERE ${column} = ? AND key = ?`, id, bytesOf(key));
}

/** Lua's strings are bytes. */
function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
