import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { CounterCorrection } from "#core/energy/counter-correction.ts";

/** Corrections of counters. They go with their device. */
export interface CorrectionStore {
  /** Of each device in the order of their steps. */
  ofDevices(deviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly CounterCorrection[]>>;
  /** Refused with `conflict` if the step has a correction already, or the device has too many. */
  insert(deviceId: string, correction: CounterCorrection, trail: AuditEntry): Promise<void>;
  /** False when there is none. */
  delete(deviceId: string, id: string, trail: AuditEntry): Promise<boolean>;
}
