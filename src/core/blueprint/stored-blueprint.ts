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
}
