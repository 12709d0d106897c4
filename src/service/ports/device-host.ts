import type { Device, DeviceType } from "#core/device/device.ts";
import type { Instant } from "#core/time/instant.ts";

/**
 * STARTING: on its way. QUARANTINED: it broke a limit. FAILED: an error of its own ended it, or it could not be put together.
 * Both are tried again at `restartAt`. STOPPED: on purpose.
 */
export type HostedState = "STARTING" | "RUNNING" | "QUARANTINED" | "FAILED" | "STOPPED";

/** What last went wrong; where, as far as it is known. */
export interface HostedError {
  readonly message: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly at: Instant;
}

export interface HostedStatus {
  readonly state: HostedState;
  readonly since: Instant;
  /** How often it was started since the service was. */
  readonly startCount: number;
  readonly lastError: HostedError | undefined;
  /** When it is started again; undefined while it runs. */
  readonly restartAt: Instant | undefined;
  /** Undefined where it is not measured. */
  readonly memoryBytes: number | undefined;
}

/** Runs devices inside this process. One implementation per kind; only this differs between scripts and simulated devices. */
export interface DeviceHost {
  hosts(type: DeviceType): boolean;
  /**
   * Starts the device, or replaces what runs of it. Resolves when it is handed over; what is wrong with the device itself
   * is a status, not a rejection. Calls about one device take effect in their order.
   */
  start(device: Device): Promise<void>;
  /** Does nothing when it does not run. Afterwards it has no status. */
  stop(deviceId: string): Promise<void>;
  /** Like a start with what it was started with, at once, also out of a quarantine. Does nothing when it was never started. */
  restart(deviceId: string): Promise<void>;
  status(deviceId: string): HostedStatus | undefined;
  /** The state of each device that it runs, for counting. */
  states(): readonly HostedState[];
}
