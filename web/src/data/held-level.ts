// What a session may do: at a site, and anywhere. Pure.
import type { Session } from "#client/resources.ts";
import { highestLevel, levelAt } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";

type Holder = Pick<Session, "level" | "site_levels">;

/** The level at a site that the session sees; without a site, the most that it has anywhere. */
export function heldLevel(session: Holder | undefined, siteId: string | undefined): AccessLevel {
  if (session === undefined) return "readonly";
  const { level, site_levels: more } = session;
  const access = { level, siteLevels: new Map(more.map((one) => [one.site_id, one.level])) };
  return siteId === undefined ? highestLevel(access) : levelAt(access, siteId);
}
