import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { StoredBucket } from "#service/ports/configuration-store.ts";
import type { Database } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";

export const configurationWrites = {
  async putConfiguration(
    database: Database,
    { deviceId, buckets, trail }: { deviceId: string; buckets: readonly StoredBucket[]; trail: AuditEntry },
  ): Promise<void> {
    for (const { bucket, shown, sealed, updatedAt } of buckets) {
      await database.run(
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
    await recordAudit(database, trail);
  },
};
