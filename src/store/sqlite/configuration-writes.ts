import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { StoredBucket } from "#service/ports/configuration-store.ts";
import { recordAudit } from "./audit-writes.ts";
import type { Connection } from "./connection.ts";

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
