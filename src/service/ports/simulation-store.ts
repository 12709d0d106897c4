import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Adjustments } from "#core/simulator/adjustments.ts";

/** What was changed about simulated devices. */
export interface SimulationStore {
  /** Undefined for a device that nobody has touched. */
  get(deviceId: string): Promise<Adjustments | undefined>;
  /** False, and nothing stored, when the device is gone. Without a trail when no caller but the device itself made the change. */
  put(deviceId: string, adjustments: Adjustments, trail: AuditEntry | undefined): Promise<boolean>;
}
