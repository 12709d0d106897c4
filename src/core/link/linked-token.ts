import type { SiteScope } from "#core/access/caller.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { isLive, isPerson } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";

/** A token of the cloud, as its gateway gets it: a hash, never the token itself. */
export interface LinkedToken extends Pick<TokenRecord, "id" | "name" | "level" | "createdAt"> {
  readonly sites: "all" | readonly string[];
  /** SHA-256 of the token's text, in hexadecimal. */
  readonly hash: string;
  /** How long it is still valid, in milliseconds, because the two clocks may differ; undefined: until it is revoked. */
  readonly expiresInMs: number | undefined;
}

/** More tokens than these are not shared; the newest are. */
const MAX_SHARED_TOKENS = 5_000;

/** Those that see a site of the gateway. The admin's stays where it is; people sign in to the cloud. */
export function tokensFor(
  siteIds: readonly string[],
  tokens: readonly TokenRecord[],
  now: Instant,
): readonly LinkedToken[] {
  const own = (sites: SiteScope): LinkedToken["sites"] =>
    sites === "all" ? "all" : siteIds.filter((id) => sites.has(id));
  return tokens
    .filter((token) => token.level !== "system" && !isPerson(token) && isLive(token, now))
    .map((token) => ({ token, sites: own(token.sites) }))
    .filter(({ sites }) => sites.length > 0)
    .slice(-MAX_SHARED_TOKENS)
    .map(({ token: { id, name, level, createdAt, hash, expiresAt }, sites }) => ({
      id,
      name,
      level,
      createdAt,
      sites,
      hash: Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join(""),
      expiresInMs: expiresAt === undefined ? undefined : expiresAt - now,
    }));
}

/** As the gateway stores it. */
export function recordOf(token: LinkedToken, now: Instant): TokenRecord {
  const { hash, sites, expiresInMs, ...rest } = token;
  return {
    ...rest,
    sites: sites === "all" ? "all" : new Set(sites),
    hash: Uint8Array.from(hash.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)),
    expiresAt: expiresInMs === undefined ? undefined : instant(now + expiresInMs),
    revokedAt: undefined,
    lastUsedAt: undefined,
    fromCloud: true,
  };
}
