import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { deviceLock, NOBODY, write } from "./write.ts";

export const simulationWrites = {
  putSimulation: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { deviceId, adjustments, trail }: { deviceId: string; adjustments: string; trail: AuditEntry | undefined },
    ) {
      if ((await database.all("SELECT 1 FROM device WHERE id = ?", deviceId)).length === 0) return false;
      await database.run(
        `INSERT INTO simulation (device_id, adjustments) VALUES (?, ?)
         ON CONFLICT (device_id) DO UPDATE SET adjustments = excluded.adjustments`,
        deviceId,
        adjustments,
      );
      if (trail !== undefined) await recordAudit(database, trail);
      return true;
    },
  }),
};
