import { ACCESS_LEVELS, type AccessLevel, allows } from "#core/access/level.ts";

/** Sites a token may see: each one listed, or every site there is and will be. */
export type SiteScope = "all" | ReadonlySet<string>;

/** What somebody may do, and where. */
export interface Access {
  /** Never more than it is at any of the sites: whoever looks only at this gives nobody too much. */
  readonly level: AccessLevel;
  readonly sites: SiteScope;
  /** Where it is more. Only people have this; absent: one level everywhere. */
  readonly siteLevels?: ReadonlyMap<string, AccessLevel>;
}

/** Who makes a call, by its token. */
export interface Caller extends Access {
  readonly tokenId: string;
  readonly tokenName: string;
  /** The person who calls, with a session or with a token of that person. */
  readonly accountId?: string;
  /** Set when the call came with the cookie of a session. */
  readonly sessionId?: string;
}

export function seesSite({ sites }: Pick<Access, "sites">, siteId: string): boolean {
  return sites === "all" || sites.has(siteId);
}

/** At a site that it sees. */
export function levelAt({ level, siteLevels }: Omit<Access, "sites">, siteId: string): AccessLevel {
  return siteLevels?.get(siteId) ?? level;
}

/** The most that it may do anywhere. */
export function highestLevel({ level, siteLevels }: Omit<Access, "sites">): AccessLevel {
  let highest = level;
  for (const one of siteLevels?.values() ?? []) if (allows(one, highest)) highest = one;
  return highest;
}

/** The sites at which it has the level. */
export function sitesWith(access: Access, level: AccessLevel): SiteScope {
  if (allows(access.level, level)) return access.sites;
  const sites = [...(access.siteLevels ?? [])].filter(([, one]) => allows(one, level));
  return new Set(sites.map(([siteId]) => siteId));
}

/**
 * The caller of something that is about one site: with the level that it has there, and only the sites where it has this level, too. So
 * whatever else the call names, it never uses the level of one site at another.
 */
export function narrow<Who extends Access>(caller: Who, siteId: string): Who {
  if (caller.siteLevels === undefined) return caller;
  const { siteLevels: _, ...rest } = caller;
  const level = levelAt(caller, siteId);
  return { ...(rest as Who), level, sites: sitesWith(caller, level) };
}

/** The caller without the sites at which it has less than the level: what it may do with it, and where. */
export function atLeast<Who extends Access>(caller: Who, level: AccessLevel): Who {
  if (caller.siteLevels === undefined || allows(caller.level, level)) return caller;
  const sites = sitesWith(caller, level);
  const isNone = sites !== "all" && sites.size === 0;
  const lowest = isNone ? highestLevel(caller) : lowestLevel(caller, sites);
  return withAccess(caller, accessOf({ level: lowest, sites, siteLevels: caller.siteLevels }));
}

/** The level that it has at each of the sites, which it sees. */
export function lowestLevel(access: Access, sites: SiteScope): AccessLevel {
  if (sites === "all" || access.siteLevels === undefined) return access.level;
  const ranks = [...sites].map((siteId) => ACCESS_LEVELS.indexOf(levelAt(access, siteId)));
  return ACCESS_LEVELS[Math.min(...ranks)] ?? access.level;
}

/** Without what says nothing: levels that are not more, and of sites that are not seen. */
export function accessOf({ level, sites, siteLevels }: Access): Access {
  const more = [...(siteLevels ?? [])].filter(([siteId, one]) => seesSite({ sites }, siteId) && !allows(level, one));
  return { level, sites, ...(more.length > 0 && { siteLevels: new Map(more) }) };
}

/** What somebody has after a change. One level without levels of sites is one level everywhere: so less is less at every site. */
export function changedAccess(before: Access, change: Partial<Access>): Access {
  const kept = change.level === undefined ? before.siteLevels : undefined;
  const siteLevels = change.siteLevels ?? kept;
  const { level = before.level, sites = before.sites } = change;
  return accessOf({ level, sites, ...(siteLevels && { siteLevels }) });
}

/** Whether `outer` may do at every site what `inner` may do there. */
export function covers(outer: Access, inner: Access): boolean {
  if (!scopeContains(outer.sites, inner.sites)) return false;
  if (inner.sites === "all" && !allows(outer.level, inner.level)) return false;
  const named = inner.sites === "all" ? [...(inner.siteLevels?.keys() ?? [])] : inner.sites;
  for (const siteId of named) if (!allows(levelAt(outer, siteId), levelAt(inner, siteId))) return false;
  return true;
}

/** Whether every site of `inner` is also in `outer`. */
function scopeContains(outer: SiteScope, inner: SiteScope): boolean {
  if (outer === "all") return true;
  if (inner === "all") return false;
  for (const site of inner) if (!outer.has(site)) return false;
  return true;
}

function withAccess<Who extends Access>(who: Who, access: Access): Who {
  const { siteLevels: _, ...rest } = who;
  return { ...(rest as Who), ...access };
}
