import type { Door } from "#core/access/door.ts";
import type { Instant } from "#core/time/instant.ts";

export const AUDIT_OUTCOMES = ["OK", "REFUSED"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What an entry is about, by kind. */
export interface AuditTarget {
  readonly siteId?: string;
  readonly deviceId?: string;
  readonly blueprintId?: string;
  readonly tokenId?: string;
}

export interface AuditActor {
  readonly tokenId: string;
  readonly name: string;
  /** The person, with a session or with a token of that person. */
  readonly accountId?: string | undefined;
}

/** Who did or tried what, when and from where. Holds no sensitive value: details are chosen by each operation. */
export interface AuditEntry {
  readonly id: string;
  /** When it happened; of several calls, the first. */
  readonly at: Instant;
  /** Absent when no valid token came with the call, or when Busbar itself acted. */
  readonly actor: AuditActor | undefined;
  /** Undefined when nobody noted it: of a gateway or an entry of an earlier version. */
  readonly door?: Door | undefined;
  /** The operation's name in the interface, such as createSite. */
  readonly action: string;
  readonly target: AuditTarget;
  readonly outcome: AuditOutcome;
  /** The error code of a refused call. */
  readonly code: string | undefined;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** The gateway that reported the entry, in its cloud. Its actor is whoever the gateway says; undefined: written here. */
  readonly reportedBy?: string | undefined;
  /** How many calls the entry counts: 1, except for repeated refusals. */
  readonly count: number;
  /** When the last of them came. */
  readonly lastAt: Instant;
}
