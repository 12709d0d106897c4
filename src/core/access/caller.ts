import type { AccessLevel } from "#core/access/level.ts";

/** Sites a token may see: each one listed, or every site there is and will be. */
export type SiteScope = "all" | ReadonlySet<string>;

/** Who makes a call, by its token. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly level: AccessLevel;
  readonly sites: SiteScope;
  /** The person who calls, with a session or with a token of that person. */
  readonly accountId?: string;
  /** Set when the call came with the cookie of a session. */
  readonly sessionId?: string;
}

export function seesSite(caller: Caller, siteId: string): boolean {
  return caller.sites === "all" || caller.sites.has(siteId);
}

/** Whether every site of `inner` is also in `outer`. */
export function scopeContains(outer: SiteScope, inner: SiteScope): boolean {
  if (outer === "all") return true;
  if (inner === "all") return false;
  for (const site of inner) if (!outer.has(site)) return false;
  return true;
}
