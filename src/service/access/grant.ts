// What a caller may give to others, as tokens or as people: at most its own level and its own sites.
import type { AuditTarget } from "#core/access/audit-entry.ts";
import { type Caller, type SiteScope, scopeContains, seesSite } from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import type { Needs } from "#service/ports.ts";

export function requireGrantableLevel(caller: Caller, level: AccessLevel): void {
  if (level === "system") {
    throw refuse("forbidden", "level system belongs to the admin token alone", { pointer: "/level" });
  }
  if (!allows(caller.level, level)) {
    throw refuse("forbidden", `the caller has level ${caller.level} and cannot grant ${level}`, { pointer: "/level" });
  }
}

/** Undefined means all sites. A site that the caller does not see looks like one that does not exist. */
export async function grantableSites(
  needs: Pick<Needs, "sites">,
  caller: Caller,
  siteIds: readonly string[] | undefined,
): Promise<SiteScope> {
  const sites = siteIds === undefined ? "all" : new Set(siteIds);
  if (sites === "all" && !scopeContains(caller.sites, sites)) {
    throw refuse("forbidden", "the caller is limited to some sites and cannot grant all; name them in site_ids", {
      pointer: "/site_ids",
    });
  }
  for (const [index, siteId] of (siteIds ?? []).entries()) {
    if (!seesSite(caller, siteId) || (await needs.sites.find(siteId)) === undefined) {
      throw refuse("not_found", `there is no site ${siteId}`, { pointer: `/site_ids/${index}` });
    }
  }
  return sites;
}

/** In the audit log of a site are changes of what is for this site alone. */
export function accessTarget({ id, sites }: Pick<TokenRecord, "id" | "sites">): AuditTarget {
  const only = sites !== "all" && sites.size === 1 ? [...sites][0] : undefined;
  return { tokenId: id, ...(only !== undefined && { siteId: only }) };
}
