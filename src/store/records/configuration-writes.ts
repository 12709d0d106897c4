import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { ConfigurationChange } from "#service/ports/configuration-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { addEvent } from "./event-writes.ts";
import { marked } from "./link-marks.ts";
import { requireDeviceOwnedHere } from "./require-owned-here.ts";
import { deviceLock, write } from "./write.ts";

export const configurationWrites = {
  putConfiguration: write({
    locks: ({ change }) => deviceLock(change.deviceId),
    informs: { cloud: ({ change }) => marked("configuration", change.deviceId), nodes: undefined },
    fromReserve: false,
    async run(database: WriteDatabase, { change, trail }: { change: ConfigurationChange; trail: AuditEntry }) {
      await requireDeviceOwnedHere(database, change.deviceId);
      await storeBuckets(database, change);
      await recordAudit(database, trail);
      for (const event of change.events) await addEvent(database, event);
    },
  }),
};

export async function storeBuckets(
  database: Database,
  { deviceId, buckets }: Pick<ConfigurationChange, "deviceId" | "buckets">,
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
}
