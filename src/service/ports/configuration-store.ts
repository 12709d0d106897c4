import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Payload } from "#core/command/execution.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";

export interface StoredBucket {
  readonly bucket: string;
  /** With sensitive values hidden. */
  readonly shown: Payload;
  /** All values in the clear, as one sealed text. */
  readonly sealed: Uint8Array;
  readonly updatedAt: Instant;
}

export interface ConfigurationChange {
  readonly deviceId: string;
  readonly buckets: readonly StoredBucket[];
  readonly events: readonly PreparedEvent[];
}

export interface ConfigurationStore {
  get(deviceId: string): Promise<readonly StoredBucket[]>;
  /** Stores the buckets and adds the events, all or none. */
  put(change: ConfigurationChange, trail: AuditEntry): Promise<void>;
}
