import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Mistakes } from "#core/mistakes.ts";
import type { AdjustmentChange, AdjustmentProblem, Adjustments } from "#core/simulator/adjustments.ts";
import type { Instant } from "#core/time/instant.ts";

/** The current state of a simulated device. */
export interface Simulation {
  readonly adjustments: Adjustments;
  /** The device's own time. */
  readonly simulatedAt: Instant;
  /** The values that it would send now, its lists of alerts included. */
  readonly telemetry: ReadonlyMap<string, unknown>;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly activeAlerts: readonly string[];
}

/** The simulated devices of this process. */
export interface Simulator {
  /** Undefined when no such device runs here. */
  look(deviceId: string): Simulation | undefined;
  /**
   * Changes the device, all or nothing: with problems nothing has changed. Resolves when the change is durable;
   * undefined when no such device runs here.
   */
  adjust(
    deviceId: string,
    change: AdjustmentChange,
    trail: AuditEntry,
  ): Promise<{ readonly simulation: Simulation } | { readonly problems: Mistakes<AdjustmentProblem> } | undefined>;
}
