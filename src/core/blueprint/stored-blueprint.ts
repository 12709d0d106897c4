import type { AuditActor } from "#core/access/audit-entry.ts";
import type { Door } from "#core/access/door.ts";
import type { Instant } from "#core/time/instant.ts";

/** A blueprint as it was uploaded. The package itself is kept byte for byte beside it. */
export interface StoredBlueprint {
  readonly id: string;
  readonly displayName: string;
  /** 1 for the first upload under a display name, then counting up. */
  readonly version: number;
  /** SHA-256 of the package, in hexadecimal. */
  readonly digest: string;
  readonly size: number;
  /** Profiles as the manifest lists them, drafts included. */
  readonly implements: readonly string[];
  readonly createdAt: Instant;
  /** Undefined when nobody noted it: of an earlier version, or of a gateway of one. */
  readonly uploadedBy?: BlueprintUploader | undefined;
}

/** Who uploaded a blueprint here first. The same bytes again change nothing. */
export interface BlueprintUploader extends AuditActor {
  readonly door?: Door | undefined;
  /** The gateway that says so, in its cloud. */
  readonly reportedBy?: string | undefined;
}
