// What the list of tokens says, and what a new one may be. Pure.
import type { Session, Site, Token } from "#client/resources.ts";
import { ACCESS_LEVELS, type AccessLevel, allows } from "#core/access/level.ts";
import { heldLevel } from "#web/data/held-level.ts";

export type TokenState = "active" | "expired" | "revoked";

export function tokenState(token: Pick<Token, "expires_at" | "revoked_at">, now: number): TokenState {
  if (token.revoked_at !== null) return "revoked";
  return token.expires_at !== null && Date.parse(token.expires_at) <= now ? "expired" : "active";
}

/** Those that work first, then by name. */
export function sortTokens(tokens: readonly Token[], now: number): readonly Token[] {
  const rank = (token: Token) => (tokenState(token, now) === "active" ? 0 : 1);
  return [...tokens].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** The levels that a new token may have: at most the own one, and never that of the admin token. */
export function grantableLevels(own: AccessLevel): readonly AccessLevel[] {
  return ACCESS_LEVELS.filter((level) => level !== "system" && allows(own, level));
}

/** How long a new token lives. `never`: until it is revoked. */
export const LIFETIMES = ["1d", "7d", "30d", "90d", "1y", "never"] as const;
export type Lifetime = (typeof LIFETIMES)[number];

export type NewToken = {
  readonly name: string;
  readonly level: AccessLevel;
  /** Undefined: all sites. */
  readonly sites: readonly string[] | undefined;
  readonly lifetime: Lifetime;
  /** It stays when the person who makes it goes. */
  readonly ofInstallation: boolean;
};

export type TokenProblem = "name" | "sites";

export function problemsOfToken({ name, sites }: Pick<NewToken, "name" | "sites">): readonly TokenProblem[] {
  return [
    ...(name.trim() === "" ? (["name"] as const) : []),
    ...(sites !== undefined && sites.length === 0 ? (["sites"] as const) : []),
  ];
}

/** As the interface takes it. */
export function tokenBody({ name, level, sites, lifetime, ofInstallation }: NewToken) {
  return {
    name: name.trim(),
    level,
    ...(sites !== undefined && { site_ids: sites }),
    ...(lifetime !== "never" && { expires_in: lifetime }),
    ...(ofInstallation && { of_installation: true }),
  };
}

type Granter = Pick<Session, "level" | "site_ids" | "site_levels">;

/** What takes level owner at each of the sites, whatever it gives. */
export const ownerOr = (level: AccessLevel): AccessLevel => (allows(level, "owner") ? level : "owner");

/** A session that sees some sites, or has the level at some only, cannot give it for all. */
export function mayGrantAllSites(session: Granter | undefined, level: AccessLevel): boolean {
  return session !== undefined && session.site_ids === null && allows(session.level, level);
}

/** Of the sites that were chosen, or of all (undefined), those at which the session has the level. */
export function grantableSites(
  session: Granter | undefined,
  level: AccessLevel,
  chosen: readonly string[] | undefined,
): readonly string[] | undefined {
  if (chosen === undefined) return mayGrantAllSites(session, level) ? undefined : [];
  return chosen.filter((id) => allows(heldLevel(session, id), level));
}

/** On a gateway: it stands for somebody who signs in to the cloud. */
export const isPersonOfCloud = ({ id, account_id, from_cloud }: Token): boolean => from_cloud && account_id === id;

/** By its id where this session does not know it. */
export const siteName = (id: string, sites: readonly Pick<Site, "id" | "name">[]): string =>
  sites.find((site) => site.id === id)?.name ?? id;

/** The names of sites, and how many more there are that this session does not see. Undefined: all sites. */
export function siteNames(
  ids: readonly string[] | null,
  sites: readonly Pick<Site, "id" | "name">[],
): { readonly names: readonly string[]; readonly unknown: number } | undefined {
  if (ids === null) return undefined;
  const names = ids.flatMap((id) => sites.find((site) => site.id === id)?.name ?? []);
  return { names, unknown: ids.length - names.length };
}
