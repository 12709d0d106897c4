import type { AuditEntry, AuditOutcome } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import type { Door } from "#core/access/door.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface AuditFilter {
  /** The caller. It sees entries about its sites and its own entries. */
  readonly reader: Pick<Caller, "tokenId" | "sites">;
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly deviceIds?: readonly string[] | undefined;
  readonly siteIds?: readonly string[] | undefined;
  readonly outcomes?: readonly AuditOutcome[] | undefined;
  /** People, with everything that they did by their sessions and tokens, or single tokens. */
  readonly actors?: readonly string[] | undefined;
  readonly doors?: readonly Door[] | undefined;
  readonly newestFirst: boolean;
}

export interface AuditLimits {
  /** All older entries are deleted. */
  readonly before: Instant;
  /** Older refusals without a token are deleted. */
  readonly anonymousBefore: Instant;
  /** How many refusals without a token, and with one, are kept at most; the oldest go first. */
  readonly maxAnonymous: number;
  readonly maxRefused: number;
}

export interface AuditStore {
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Stores the entries. For entries that are already stored, updates the count and the last time. */
  put(entries: readonly AuditEntry[]): Promise<void>;
  find(id: string): Promise<AuditEntry | undefined>;
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes entries beyond the limits, a bounded number at a time. Returns how many. */
  prune(limits: AuditLimits): Promise<number>;
}
