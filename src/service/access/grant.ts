// What a caller may give to others, as tokens or as people: at most its own level and its own sites.
import type { AuditTarget } from "#core/access/audit-entry.ts";
import {
  type Access,
  type Caller,
  highestLevel,
  levelAt,
  type SiteScope,
  seesSite,
  sitesWith,
} from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import type { Needs } from "#service/ports.ts";

export function requireGrantableLevel(caller: Caller, level: AccessLevel, pointer = "/level"): void {
  if (level === "system") throw refuse("forbidden", "level system belongs to the admin token alone", { pointer });
  const highest = highestLevel(caller);
  if (!allows(highest, level)) {
    throw refuse("forbidden", `the caller has level ${highest} and cannot grant ${level}`, { pointer });
  }
}

/**
 * Of what is granted at the level; undefined means all sites. A site that the caller does not see looks like one that does not exist.
 */
export async function grantableSites(
  needs: Pick<Needs, "sites">,
  caller: Caller,
  { level, siteIds }: { readonly level: AccessLevel; readonly siteIds: readonly string[] | undefined },
): Promise<SiteScope> {
  if (siteIds === undefined) {
    if (sitesWith(caller, level) === "all") return "all";
    const which = caller.sites === "all" ? `has ${level} at some sites only` : "is limited to some sites";
    throw refuse("forbidden", `the caller ${which} and cannot grant all; name them in site_ids`, {
      pointer: "/site_ids",
    });
  }
  for (const [index, siteId] of siteIds.entries()) {
    await requireGrantableAt(needs, caller, { siteId, level, pointer: `/site_ids/${index}` });
  }
  return new Set(siteIds);
}

interface SiteGrant {
  readonly siteId: string;
  readonly level: AccessLevel;
  readonly pointer: string;
}

export async function requireGrantableAt(
  needs: Pick<Needs, "sites">,
  caller: Caller,
  { siteId, level, pointer }: SiteGrant,
): Promise<void> {
  if (!seesSite(caller, siteId) || (await needs.sites.find(siteId)) === undefined) {
    throw refuse("not_found", `there is no site ${siteId}`, { pointer });
  }
  const own = levelAt(caller, siteId);
  if (allows(own, level)) return;
  throw refuse("forbidden", `the caller has level ${own} at this site and cannot grant ${level} there`, { pointer });
}

/** As the audit log has it. */
export function accessDetails({ level, sites, siteLevels }: Access): Readonly<Record<string, unknown>> {
  const site_ids = sites === "all" ? null : [...sites];
  return { level, site_ids, ...(siteLevels && { site_levels: Object.fromEntries(siteLevels) }) };
}

/** In the audit log of a site are changes of what is for this site alone. */
export function accessTarget({ id, sites }: Pick<TokenRecord, "id" | "sites">): AuditTarget {
  const only = sites !== "all" && sites.size === 1 ? [...sites][0] : undefined;
  return { tokenId: id, ...(only !== undefined && { siteId: only }) };
}
