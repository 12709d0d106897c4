// Level, sites and levels of single sites, as tokens have them. The last are people's: {"above": "readonly", "at": {"<site>": "owner"}}.
import { type Access, accessOf, type SiteScope } from "#core/access/caller.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { listed, oneOf } from "./row.ts";
import { isObject, readSites, type StoredRow, storedJson } from "./stored-json.ts";

/**
 * A version that does not know `site_levels` changes only the level and the sites. So levels of single sites hold as long as the level is
 * the one that they were stored with, and at the sites that are still there.
 */
export function readAccess(from: StoredRow): Access {
  const level = oneOf(from.row, "level", ACCESS_LEVELS);
  const access = { level, sites: readSites(from) };
  const stored = from.row["site_levels"] === null ? undefined : storedJson(from, "site_levels", isObject);
  if (stored?.["above"] !== level || !isObject(stored["at"])) return access;
  const siteLevels = Object.entries(stored["at"]).flatMap(([siteId, value]) => {
    const known = ACCESS_LEVELS.find((one) => one === value);
    return known === undefined ? [] : [[siteId, known] as const];
  });
  return accessOf({ ...access, siteLevels: new Map(siteLevels) });
}

export function renderSites(sites: SiteScope): string | null {
  return sites === "all" ? null : listed(sites);
}

export function renderSiteLevels({ level, siteLevels }: Omit<Access, "sites">): string | null {
  return siteLevels === undefined ? null : JSON.stringify({ above: level, at: Object.fromEntries(siteLevels) });
}
