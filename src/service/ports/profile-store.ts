import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Profile } from "#core/blueprint/profile.ts";

/** Of all uploaded profiles together. */
export interface ProfileStoreLimits {
  readonly profiles: number;
  readonly bytes: number;
}

/** Uploaded profiles. One that is no draft never changes. */
export interface ProfileStore {
  /** Ordered by id. */
  all(): Promise<readonly Profile[]>;
  /** Rises with each write that changes something, by whichever node. */
  revision(): Promise<number>;
  /**
   * Stores all of them or none, and gives the ids of those that are new or changed. Refuses with `conflict` when one
   * that is no draft would change, naming each, or when they would be too many.
   */
  put(profiles: readonly Profile[], limits: ProfileStoreLimits, trail: AuditEntry): Promise<readonly string[]>;
}
