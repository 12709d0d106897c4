import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Instant } from "#core/time/instant.ts";

export interface StoredBucket {
  readonly bucket: string;
  /** With sensitive values hidden. */
  readonly shown: Payload;
  /** All values in the clear, as one sealed text. */
  readonly sealed: Uint8Array;
  readonly updatedAt: Instant;
}

export interface ConfigurationStore {
  get(deviceId: string): Promise<readonly StoredBucket[]>;
  /** All or none. */
  put(deviceId: string, buckets: readonly StoredBucket[], trail: AuditEntry): Promise<void>;
}
