import { accessOf, type SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import { isLive, isPerson, type TokenRecord } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";

/** More than the level, at a site of the gateway. */
export interface LinkedSiteLevel {
  readonly siteId: string;
  readonly level: AccessLevel;
}

/** A token of the cloud, as its gateway gets it: a hash, never the token itself. */
export interface LinkedToken extends Pick<TokenRecord, "id" | "name" | "level" | "createdAt"> {
  readonly sites: "all" | readonly string[];
  /** Absent: none. */
  readonly siteLevels?: readonly LinkedSiteLevel[];
  /** It is a person's own access, of which there is no text. */
  readonly isPerson?: true;
  /** SHA-256 of the token's text, in hexadecimal. */
  readonly hash: string;
  /** How long it is still valid, in milliseconds, because the two clocks may differ; undefined: until it is revoked. */
  readonly expiresInMs: number | undefined;
}

/** More tokens than these are not shared; the newest are. */
const MAX_SHARED_TOKENS = 5_000;

/** Those that see a site of the gateway. The admin's stays where it is. The token of a person has the name of both, as in the audit log. */
export function tokensFor(
  siteIds: readonly string[],
  tokens: readonly TokenRecord[],
  now: Instant,
): readonly LinkedToken[] {
  const own = (sites: SiteScope): LinkedToken["sites"] =>
    sites === "all" ? "all" : siteIds.filter((id) => sites.has(id));
  const people = new Map(tokens.filter(isPerson).map(({ id, name }) => [id, name]));
  const nameOf = ({ id, name, accountId }: TokenRecord): string => {
    const person = accountId === undefined || accountId === id ? undefined : people.get(accountId);
    return person === undefined ? name : `${person}: ${name}`;
  };
  return tokens
    .filter((token) => token.level !== "system" && isLive(token, now))
    .map((token) => ({ token, sites: own(token.sites) }))
    .filter(({ sites }) => sites.length > 0)
    .slice(-MAX_SHARED_TOKENS)
    .map(({ token, sites }) => ({ token, sites, siteLevels: levelsOf(token, siteIds) }))
    .map(({ token, sites, siteLevels }) => ({
      ...{ id: token.id, name: nameOf(token), level: token.level, createdAt: token.createdAt, sites },
      ...(siteLevels.length > 0 && { siteLevels }),
      ...(isPerson(token) && { isPerson: true as const }),
      hash: Array.from(token.hash, (byte) => byte.toString(16).padStart(2, "0")).join(""),
      expiresInMs: token.expiresAt === undefined ? undefined : token.expiresAt - now,
    }));
}

function levelsOf({ siteLevels }: TokenRecord, siteIds: readonly string[]): readonly LinkedSiteLevel[] {
  return [...(siteLevels ?? [])].flatMap(([siteId, level]) => (siteIds.includes(siteId) ? [{ siteId, level }] : []));
}

/** As the gateway stores it. */
export function recordOf(token: LinkedToken, now: Instant): TokenRecord {
  const { id, name, createdAt, hash, level, sites, siteLevels = [], expiresInMs } = token;
  return {
    ...{ id, name, createdAt },
    ...accessOf({
      level,
      sites: sites === "all" ? "all" : new Set(sites),
      siteLevels: new Map(siteLevels.map((one) => [one.siteId, one.level])),
    }),
    ...(token.isPerson === true && { accountId: id }),
    hash: Uint8Array.from(hash.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)),
    expiresAt: expiresInMs === undefined ? undefined : instant(now + expiresInMs),
    revokedAt: undefined,
    lastUsedAt: undefined,
    fromCloud: true,
  };
}
