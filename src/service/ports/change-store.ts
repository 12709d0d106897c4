import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { ChangeOutcome, ChangeState, GatewayChange, KnownValues } from "#core/link/asked-change.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

interface ChangeFilter {
  readonly scope: SiteScope;
  readonly siteIds?: readonly string[] | undefined;
  readonly deviceIds?: readonly string[] | undefined;
  readonly states?: readonly ChangeState[] | undefined;
  readonly requestIds?: readonly string[] | undefined;
}

export interface Settlement {
  readonly outcome: ChangeOutcome;
  readonly at: Instant;
  /** Changes that wait behind it, with what they are based on now. */
  readonly rebased: readonly { readonly id: string; readonly base: KnownValues }[];
  readonly events: readonly PreparedEvent[];
}

export interface Withdrawal {
  readonly at: Instant;
  readonly trail: AuditEntry;
  readonly events: readonly PreparedEvent[];
}

/** The changes that a cloud asks its gateways for. */
export interface ChangeStore {
  /**
   * Refuses with `queue_full` when too many changes wait for the gateway, with `owned_by_gateway` when it is revoked, and
   * with `conflict` when the change is of a roll-out that does not run any more, or not for this device.
   */
  ask(change: GatewayChange, trail: AuditEntry | undefined, rolloutId?: string): Promise<void>;
  find(id: string): Promise<GatewayChange | undefined>;
  /** The one that has waited longest for the gateway. */
  next(gatewayId: string): Promise<GatewayChange | undefined>;
  /** Claims whose lease has ended while they waited for a gateway that is away. */
  lapsed(now: Instant, limit: number): Promise<readonly GatewayChange[]>;
  /** The others that wait for the gateway and are about the same device, or the same site. */
  beside(change: GatewayChange): Promise<readonly Pick<GatewayChange, "id" | "base">[]>;
  /** False when it is settled already, or unknown. The answer to one that was withdrawn counts. */
  settle(id: string, settlement: Settlement): Promise<boolean>;
  /** False when it no longer waits. */
  withdraw(id: string, withdrawal: Withdrawal): Promise<boolean>;
  /** Newest first. */
  list(filter: ChangeFilter, page: PageRequest): Promise<Page<GatewayChange>>;
  /**
   * Deletes what was settled before this time, and renewals of claims that were settled before the other one, a bounded number at a
   * time. Returns how many.
   */
  prune(before: Instant, renewalsBefore: Instant): Promise<number>;
}
