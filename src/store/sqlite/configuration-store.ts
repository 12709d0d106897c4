import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Payload } from "#core/command/execution.ts";
import type { ConfigurationStore, StoredBucket } from "#service/ports/configuration-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import { bytes, text, time } from "./row.ts";
import type { Writer } from "./writer.ts";

export function createConfigurationStore(reader: Connection, writer: Writer): ConfigurationStore {
  return {
    get: async (deviceId) =>
      reader
        .all(
          "SELECT bucket, shown, sealed, updated_at FROM device_configuration WHERE device_id = ? ORDER BY bucket",
          deviceId,
        )
        .map(readBucket),
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

function readBucket(row: Row): StoredBucket {
  return {
    bucket: text(row, "bucket"),
    shown: JSON.parse(text(row, "shown")) as Payload,
    sealed: bytes(row, "sealed"),
    updatedAt: time(row, "updated_at"),
  };
}
