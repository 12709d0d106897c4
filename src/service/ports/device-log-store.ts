import type { Micros } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface DeviceLogEntry {
  readonly receivedAt: Micros;
  readonly takenAt: Instant;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
}

export interface LogFilter {
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly severities?: readonly LogSeverity[] | undefined;
  readonly persisted?: boolean | undefined;
  readonly newestFirst: boolean;
}

export interface DeviceLogStore {
  /**
   * Entries with the same time get distinct, rising ones. What the device's entries that persist hold, and what the others
   * hold, is at most `maxBytes` each: the oldest go.
   */
  append(deviceId: string, entries: readonly DeviceLogEntry[], maxBytes: number): Promise<readonly DeviceLogEntry[]>;
  list(deviceId: string, filter: LogFilter, page: PageRequest): Promise<Page<DeviceLogEntry>>;
  /** Deletes what is older, a bounded number at a time; gives how many. */
  prune(limits: { readonly persistedBefore: Instant; readonly temporaryBefore: Instant }): Promise<number>;
}
