// What the groups of a person at an OpenID provider give here, as the operator configured it.
import { type Access, accessOf } from "./caller.ts";
import { ACCESS_LEVELS, type AccessLevel, allows } from "./level.ts";

/** `operators=user@0192...`: who is in the group has the level, at every site or at one. */
export interface GroupRule {
  readonly group: string;
  readonly level: AccessLevel;
  /** Undefined: every site. */
  readonly siteId: string | undefined;
}

/** Everybody whom the provider signs in. */
const EVERYBODY = "*";
const SITE_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;
/** No person gets the level of the admin token. */
const GRANTABLE = ACCESS_LEVELS.filter((level) => level !== "system");

/** A name of a group may have "=" and "@" in it: the last ones count. */
export function parseGroupRule(text: string): GroupRule | { readonly problem: string } {
  const [, group = "", given = "", siteId] = /^(.*)=([^=@]*)(?:@([^=@]*))?$/s.exec(text) ?? [];
  const level = GRANTABLE.find((one) => one === given.trim());
  const isSite = siteId === undefined || SITE_ID.test(siteId.trim());
  if (group.trim() === "" || level === undefined || !isSite)
    return {
      problem: `has "${text}"; a rule is GROUP=LEVEL or GROUP=LEVEL@SITE, with a level of ${GRANTABLE.join(", ")} and the id of a site; * as the group is everybody`,
    };
  return { group: group.trim(), level, siteId: siteId?.trim() };
}

/**
 * All that the groups give together; undefined when they give nothing. Where several rules name a site, the highest level counts.
 */
export function accessOfGroups(rules: readonly GroupRule[], groups: readonly string[]): Access | undefined {
  const held = new Set([EVERYBODY, ...groups]);
  const applied = rules.filter(({ group }) => held.has(group));
  const everywhere = highest(applied.filter(({ siteId }) => siteId === undefined));
  const siteLevels = new Map<string, AccessLevel>();
  for (const { siteId } of applied) {
    const level = highest(applied.filter((rule) => rule.siteId === siteId));
    if (siteId !== undefined && level !== undefined) siteLevels.set(siteId, level);
  }
  if (everywhere !== undefined) return accessOf({ level: everywhere, sites: "all", siteLevels });
  const lowest = ACCESS_LEVELS.find((level) => [...siteLevels.values()].includes(level));
  return lowest && accessOf({ level: lowest, sites: new Set(siteLevels.keys()), siteLevels });
}

function highest(rules: readonly GroupRule[]): AccessLevel | undefined {
  let found: AccessLevel | undefined;
  for (const { level } of rules) if (found === undefined || allows(level, found)) found = level;
  return found;
}
