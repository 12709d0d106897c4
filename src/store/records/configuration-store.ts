import type { ConfigurationStore, StoredBucket } from "#service/ports/configuration-store.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { bytes, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createConfigurationStore(reader: Database, writer: Writer): ConfigurationStore {
  return {
    get: async (deviceId) =>
      (
        await reader.all(
          "SELECT device_id, bucket, shown, sealed, updated_at FROM device_configuration WHERE device_id = ? ORDER BY bucket",
          deviceId,
        )
      ).map((row) => parseBucket(reader, row)),
    put: (change, trail) => writer.run("putConfiguration", { change, trail }),
  };
}

function parseBucket(database: DamageLog, row: Row): StoredBucket {
  return {
    bucket: text(row, "bucket"),
    shown: storedJson({ database, table: "device_configuration", row }, "shown", isObject) ?? {},
    sealed: bytes(row, "sealed"),
    updatedAt: time(row, "updated_at"),
  };
}
