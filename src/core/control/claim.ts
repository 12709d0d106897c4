// Nobody sets a controlled quantity. Everybody claims it for a time and with a reason, and `resolveClaims` decides.

import type { Door } from "#core/access/door.ts";

/** A target is a wanted value. A minimum or maximum limits what others want. */
export const CLAIM_KINDS = ["target", "min", "max"] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** A smaller number counts more. The first two only limit. */
export const CLAIM_CLASSES = ["interlock", "grid", "person", "rule", "plan", "default"] as const;
export type ClaimClass = (typeof CLAIM_CLASSES)[number];

/**
 * Three different things: null says nothing now but keeps the claim, "unlimited" says that there is no limit (of a minimum or
 * maximum only), and 0 is a value.
 */
export type ClaimValue = number | "unlimited" | null;

export interface Claim {
  readonly id: string;
  readonly deviceId: string;
  readonly control: string;
  readonly kind: ClaimKind;
  readonly value: ClaimValue;
  readonly class: ClaimClass;
  /** Who claims: `token:ID`, `session:ID`, `rule:ID`, `schedule:ID`, `interlock:NAME`. One source has at most one claim of a kind. */
  readonly source: string;
  readonly reason: string;
  /** Milliseconds since 1970. It holds before this moment. */
  readonly leaseUntil: number;
  readonly createdAt: number;
  /** What led to it, such as the execution that it stands for. */
  readonly cause: string | undefined;
  /** Through which door it came. */
  readonly door?: Door | undefined;
}

/** A rule is a caller without a token: its id has this before it. */
export const RULE_CALLER = "rule:";

export const sourceOfCaller = (tokenId: string): string =>
  tokenId.startsWith(RULE_CALLER) ? tokenId : `token:${tokenId}`;

/** The lease of what holds until something else is known, such as a limit of an interlock: the end of the year 9999. */
export const FOREVER = 253_402_300_799_000;

export const rankOf = (claim: Claim): number => CLAIM_CLASSES.indexOf(claim.class);

export const holds = (claim: Claim, now: number): boolean => now < claim.leaseUntil;

/** Order of age: negative when the first one is older. Ids decide between claims of one moment. */
export function compareAge(one: Claim, other: Claim): number {
  if (one.createdAt !== other.createdAt) return one.createdAt - other.createdAt;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
