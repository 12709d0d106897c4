import type { Site } from "#core/site/site.ts";
import { machineTimezone } from "#role/machine-timezone.ts";
import type { Call } from "#service/ports.ts";
import { type CreateSiteNeeds, createSite } from "#service/site/create-site.ts";

/** A gateway belongs to one site, so its first start creates one. People confirm its name and time zone later. */
export async function ensureFirstSite(needs: CreateSiteNeeds, call: Call, name: string): Promise<void> {
  const { items } = await needs.sites.list("all", { limit: 1, offset: 0 });
  if (items.length > 0) return;
  const timezone = machineTimezone() ?? "UTC";
  await createSite(needs, call, { name, timezone, timezoneAssumed: true, location: undefined });
}

const LOOKED_AT = 100;

/** A site whose time zone nobody has confirmed, among the first ones. */
export async function findAssumedSite({ sites }: Pick<CreateSiteNeeds, "sites">): Promise<Site | undefined> {
  const { items } = await sites.list("all", { limit: LOOKED_AT, offset: 0 });
  return items.find(({ timezoneAssumed }) => timezoneAssumed === true);
}
