import type { Device, DeviceType } from "#core/device/device.ts";
import type { Instant } from "#core/time/instant.ts";

/**
 * STARTING: about to run. NOT_CONFIGURED and COMMUNICATION_FAILED: it runs, but required configuration is missing, or it
 * cannot talk to its peers; `lastError` says what is wrong. OVERRUNNING: it runs, and one thing that it does has lasted too long, while everything else
 * waits. QUARANTINED: it broke a limit. FAILED: its own error ended it, or its program could not be
 * built. Both are retried at `restartAt`. STOPPED: on purpose.
 */
export type HostedState =
  | "STARTING"
  | "RUNNING"
  | "NOT_CONFIGURED"
  | "COMMUNICATION_FAILED"
  | "OVERRUNNING"
  | "QUARANTINED"
  | "FAILED"
  | "STOPPED";

/** The last failure, and its place if known. */
export interface HostedError {
  readonly message: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly at: Instant;
}

/** What lasts too long, and where it was when that was noticed, if known. */
export interface HostedOverrun {
  readonly activity: "main" | "command" | "configuration" | "connection" | "job";
  /** Name of the command whose handler it is. */
  readonly command: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export interface HostedStatus {
  readonly state: HostedState;
  /** For OVERRUNNING: since when it does what lasts too long. */
  readonly since: Instant;
  /** Defined exactly while OVERRUNNING. */
  readonly overrun: HostedOverrun | undefined;
  /** How often it was started since the service started. */
  readonly startCount: number;
  readonly lastError: HostedError | undefined;
  /** When it is started again; undefined while it runs. */
  readonly restartAt: Instant | undefined;
  /** Undefined where it is not measured. */
  readonly memoryBytes: number | undefined;
}

/**
 * Runs devices inside this process, with one implementation per kind. This is the only difference between scripts and
 * simulated devices.
 */
export interface DeviceHost {
  hosts(type: DeviceType): boolean;
  /**
   * Starts the device, or replaces the running instance. Resolves when it is handed over. A problem of the device
   * itself is a status, not a rejection. Calls about one device take effect in their order.
   */
  start(device: Device): Promise<void>;
  /** Does nothing when it does not run. Afterwards it has no status. */
  stop(deviceId: string): Promise<void>;
  /**
   * Starts it again at once with the same program, also out of a quarantine. Does nothing when it was never started.
   */
  restart(deviceId: string): Promise<void>;
  status(deviceId: string): HostedStatus | undefined;
  /** How often something that a device did has lasted too long, since the service started. */
  overruns(): number;
  /** The state of each device that this host runs, for counting. */
  states(): readonly HostedState[];
}
