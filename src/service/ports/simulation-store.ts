import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Adjustments } from "#core/simulator/adjustments.ts";

/** The adjustments that people made to simulated devices. */
export interface SimulationStore {
  /** Undefined for a device without adjustments. */
  get(deviceId: string): Promise<Adjustments | undefined>;
  /** False, with nothing stored, when the device is gone. There is no trail when the device itself made the change. */
  put(deviceId: string, adjustments: Adjustments, trail: AuditEntry | undefined): Promise<boolean>;
}
