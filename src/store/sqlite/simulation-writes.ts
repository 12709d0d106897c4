import type { AuditEntry } from "#core/access/audit-entry.ts";
import { recordAudit } from "./audit-writes.ts";
import type { Connection } from "./connection.ts";

export const simulationWrites = {
  putSimulation(
    database: Connection,
    { deviceId, adjustments, trail }: { deviceId: string; adjustments: string; trail: AuditEntry | undefined },
  ): boolean {
    if (database.all("SELECT 1 FROM device WHERE id = ?", deviceId).length === 0) return false;
    database.run(
      `INSERT INTO simulation (device_id, adjustments) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET adjustments = excluded.adjustments`,
      deviceId,
      adjustments,
    );
    if (trail !== undefined) recordAudit(database, trail);
    return true;
  },
};
