import type { Micros } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { FineTime, Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface DeviceLogEntry {
  readonly receivedAt: Micros;
  readonly takenAt: Instant;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
}

export interface LogFilter {
  readonly since?: FineTime | undefined;
  readonly before?: FineTime | undefined;
  readonly severities?: readonly LogSeverity[] | undefined;
  readonly persisted?: boolean | undefined;
  readonly newestFirst: boolean;
}

export interface DeviceLogStore {
  /**
   * Entries with the same time get distinct, rising times. The device's persistent entries hold at most `maxBytes`, and
   * so do the others: the oldest are deleted.
   */
  append(deviceId: string, entries: readonly DeviceLogEntry[], maxBytes: number): Promise<readonly DeviceLogEntry[]>;
  find(deviceId: string, receivedAt: Micros): Promise<DeviceLogEntry | undefined>;
  list(deviceId: string, filter: LogFilter, page: PageRequest): Promise<Page<DeviceLogEntry>>;
  /** Deletes older entries, a bounded number at a time. Returns how many. */
  prune(limits: { readonly persistedBefore: Instant; readonly temporaryBefore: Instant }): Promise<number>;
}
