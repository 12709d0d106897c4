import type { AuditEntry, AuditOutcome } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface AuditFilter {
  /** Who asks: sees entries about its sites and its own. */
  readonly reader: Pick<Caller, "tokenId" | "sites">;
  readonly since?: Instant;
  readonly before?: Instant;
  readonly actions?: readonly string[];
  readonly siteIds?: readonly string[];
  readonly outcomes?: readonly AuditOutcome[];
  readonly newestFirst: boolean;
}

export interface AuditStore {
  append(entries: readonly AuditEntry[]): Promise<void>;
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes entries older than `before`, a bounded number at a time; gives how many. */
  prune(before: Instant): Promise<number>;
}
