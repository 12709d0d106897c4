import type { ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { Database } from "#store/database.ts";
import { number } from "./row.ts";
import { deviceLock, NOBODY, write } from "./write.ts";

interface Entry {
  readonly key: string;
  readonly value: string;
}

export const scriptWrites = {
  putScriptEntry: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: Database,
      { deviceId, key, value, limits }: { deviceId: string; limits: ScriptStoreLimits } & Entry,
    ) {
      if ((await database.get("SELECT 1 AS found FROM device WHERE id = ?", deviceId)) === undefined) return "gone";
      const others = await database.one(
        `SELECT count(*) AS entries, coalesce(sum(length(key) + length(value)), 0) AS bytes
         FROM script_storage WHERE device_id = ? AND key <> ?`,
        deviceId,
        bytesOf(key),
      );
      if (number(others, "entries") + 1 > limits.entries) return "full";
      if (number(others, "bytes") + key.length + value.length > limits.bytes) return "full";
      await database.run(
        `INSERT INTO script_storage (device_id, key, value) VALUES (?, ?, ?)
         ON CONFLICT (device_id, key) DO UPDATE SET value = excluded.value`,
        deviceId,
        bytesOf(key),
        bytesOf(value),
      );
      return "stored";
    },
  }),

  removeScriptEntry: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { deviceId, key }: { deviceId: string; key: string }) {
      await database.run("DELETE FROM script_storage WHERE device_id = ? AND key = ?", deviceId, bytesOf(key));
    },
  }),
};

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
