import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { BulkCommand, BulkMember, BulkState, MemberCounts, MemberState } from "#core/bulk/bulk-command.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface NewBulk {
  readonly bulk: BulkCommand;
  readonly members: readonly BulkMember[];
  /** Name and arguments in the clear, as one sealed text. */
  readonly sealed: Uint8Array;
  /** A repetition with the same key finds the first one. */
  readonly idempotency: { readonly key: string; readonly digest: Uint8Array } | undefined;
}

export interface MemberChange {
  /** Only where it has this state. */
  readonly from: MemberState;
  readonly to: BulkMember;
}

export interface BulkStore {
  /**
   * Stores it. If its key was used before, returns the earlier one, or refuses with `idempotency_conflict`. Refuses with
   * `conflict` when too many run.
   */
  insert(input: NewBulk, trail: AuditEntry): Promise<BulkCommand>;
  find(id: string): Promise<BulkCommand | undefined>;
  sealed(id: string): Promise<Uint8Array | undefined>;
  /** Newest first; of one token, or of all. */
  list(tokenId: string | undefined, page: PageRequest): Promise<Page<BulkCommand>>;
  /** Those of which a device waits or runs. */
  open(): Promise<readonly BulkCommand[]>;
  members(
    id: string,
    filter: { readonly states?: readonly MemberState[] | undefined },
    page: PageRequest,
  ): Promise<Page<BulkMember>>;
  counts(id: string): Promise<MemberCounts>;
  lastBegunAt(id: string): Promise<Instant | undefined>;
  /** Those that were changed. WAITING ones begin only while the bulk command is RUNNING. */
  putMembers(
    id: string,
    changes: readonly MemberChange[],
    events: readonly PreparedEvent[],
  ): Promise<readonly BulkMember[]>;
  /** The bulk command after the turn; undefined when it was not RUNNING. WAITING members become SKIPPED. */
  turn(
    id: string,
    turn: { readonly to: Exclude<BulkState, "RUNNING">; readonly reason: string | undefined },
    trail: AuditEntry | undefined,
  ): Promise<BulkCommand | undefined>;
  /** No device runs any more. */
  end(id: string, at: Instant, event: PreparedEvent | undefined): Promise<void>;
  /** Deletes those that ended before, a bounded number at a time. Returns how many. */
  prune(before: Instant): Promise<number>;
}
