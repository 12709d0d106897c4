import type { ScriptStore } from "#service/ports/script-store.ts";
import type { Database } from "#store/database.ts";
import { bytes } from "./row.ts";
import type { Writer } from "./writer.ts";

export function createScriptStore(reader: Database, writer: Writer): ScriptStore {
  return {
    get: async (deviceId) =>
      new Map(
        (await reader.all("SELECT key, value FROM script_storage WHERE device_id = ? ORDER BY key", deviceId)).map(
          (row) => [textOf(bytes(row, "key")), textOf(bytes(row, "value"))],
        ),
      ),
    put: (deviceId, { key, value }, limits) => writer.run("putScriptEntry", { deviceId, key, value, limits }),
    remove: (deviceId, key) => writer.run("removeScriptEntry", { deviceId, key }),
  };
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString("latin1");
}
