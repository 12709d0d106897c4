import type { Access } from "#core/access/caller.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { id, oneOf, strict } from "#service/operation/wire.ts";

export const siteLevels = Type.Array(
  strict("SiteLevel", { site_id: id("Site identifier."), level: oneOf(ACCESS_LEVELS) }),
  { description: "Where the level is higher than `level`. Only people have this." },
);

export function renderSiteLevels({ siteLevels: given }: Pick<Access, "siteLevels">): Static<typeof siteLevels> {
  return [...(given ?? [])].map(([site_id, level]) => ({ site_id, level }));
}
