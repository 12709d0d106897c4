import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Mistakes } from "#core/mistakes.ts";
import type { AdjustmentChange, AdjustmentProblem, Adjustments } from "#core/simulator/adjustments.ts";
import type { Instant } from "#core/time/instant.ts";

/** A simulated device as it is now. */
export interface Simulation {
  readonly adjustments: Adjustments;
  /** What time it is for the device. */
  readonly simulatedAt: Instant;
  /** What it would send now, its lists of alerts included. */
  readonly telemetry: ReadonlyMap<string, unknown>;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly activeAlerts: readonly string[];
}

/** The devices that this process makes up. */
export interface Simulator {
  /** Undefined when no such device runs here. */
  look(deviceId: string): Simulation | undefined;
  /** Changes it, all or nothing: with problems nothing has changed. Resolves when the change is durable; undefined when no such device runs here. */
  adjust(
    deviceId: string,
    change: AdjustmentChange,
    trail: AuditEntry,
  ): Promise<{ readonly simulation: Simulation } | { readonly problems: Mistakes<AdjustmentProblem> } | undefined>;
}
