import type { ScriptStore, ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { Connection } from "./connection.ts";
import { bytes, number } from "./row.ts";
import type { Writer } from "./writer.ts";

interface Entry {
  readonly key: string;
  readonly value: string;
}

export function createScriptStore(reader: Connection, writer: Writer): ScriptStore {
  return {
    get: async (deviceId) =>
      new Map(
        reader
          .all("SELECT key, value FROM script_storage WHERE device_id = ? ORDER BY key", deviceId)
          .map((row) => [textOf(bytes(row, "key")), textOf(bytes(row, "value"))]),
      ),
    put: (deviceId, { key, value }, limits) => writer.run("putScriptEntry", { deviceId, key, value, limits }),
    remove: (deviceId, key) => writer.run("removeScriptEntry", { deviceId, key }),
  };
}

export const scriptWrites = {
  putScriptEntry(
    database: Connection,
    { deviceId, key, value, limits }: { deviceId: string; limits: ScriptStoreLimits } & Entry,
  ): "stored" | "full" | "gone" {
    if (database.get("SELECT 1 AS found FROM device WHERE id = ?", deviceId) === undefined) return "gone";
    const others = database.get(
      `SELECT count(*) AS entries, coalesce(sum(length(key) + length(value)), 0) AS bytes
       FROM script_storage WHERE device_id = ? AND key <> ?`,
      deviceId,
      bytesOf(key),
    );
    const [entries, used] = others === undefined ? [0, 0] : [number(others, "entries"), number(others, "bytes")];
    if (entries + 1 > limits.entries || used + key.length + value.length > limits.bytes) return "full";
    database.run(
      `INSERT INTO script_storage (device_id, key, value) VALUES (?, ?, ?)
       ON CONFLICT (device_id, key) DO UPDATE SET value = excluded.value`,
      deviceId,
      bytesOf(key),
      bytesOf(value),
    );
    return "stored";
  },

  removeScriptEntry(database: Connection, { deviceId, key }: { deviceId: string; key: string }): void {
    database.run("DELETE FROM script_storage WHERE device_id = ? AND key = ?", deviceId, bytesOf(key));
  },
};

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString("latin1");
}
