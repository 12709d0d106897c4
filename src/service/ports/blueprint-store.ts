import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { Page, PageRequest } from "./page.ts";

export interface BlueprintStore {
  /**
   * Returns the blueprint that already has this digest, or stores a new one as the next version of its display name.
   */
  insert(blueprint: Omit<StoredBlueprint, "version">, content: Uint8Array, trail: AuditEntry): Promise<StoredBlueprint>;
  find(id: string): Promise<StoredBlueprint | undefined>;
  findByDigest(digest: string): Promise<StoredBlueprint | undefined>;
  content(id: string): Promise<Uint8Array | undefined>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<StoredBlueprint>>;
  /** Every blueprint that lists at least one profile. */
  implementing(): Promise<readonly Pick<StoredBlueprint, "id" | "implements">[]>;
}
