import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { ConfigurationStore, StoredBucket } from "#service/ports/configuration-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import { bytes, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createConfigurationStore(reader: Connection, writer: Writer): ConfigurationStore {
  return {
    get: async (deviceId) =>
      reader
        .all(
          "SELECT device_id, bucket, shown, sealed, updated_at FROM device_configuration WHERE device_id = ? ORDER BY bucket",
          deviceId,
        )
        .map((row) => readBucket(reader, row)),
    put: (deviceId, buckets, trail) => writer.run("putConfiguration", { deviceId, buckets, trail }),
  };
}

export const configurationWrites = {
  putConfiguration(
    database: Connection,
    { deviceId, buckets, trail }: { deviceId: string; buckets: readonly StoredBucket[]; trail: AuditEntry },
  ): void {
    for (const { bucket, shown, sealed, updatedAt } of buckets) {
      database.run(
        `INSERT INTO device_configuration (device_id, bucket, shown, sealed, updated_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (device_id, bucket) DO UPDATE SET
           shown = excluded.shown, sealed = excluded.sealed, updated_at = excluded.updated_at`,
        deviceId,
        bucket,
        JSON.stringify(shown),
        sealed,
        updatedAt,
      );
    }
    recordAudit(database, trail);
  },
};

function readBucket(database: Connection, row: Row): StoredBucket {
  return {
    bucket: text(row, "bucket"),
    shown: storedJson({ database, table: "device_configuration", row }, "shown", isObject) ?? {},
    sealed: bytes(row, "sealed"),
    updatedAt: time(row, "updated_at"),
  };
}
