import type { Call } from "#service/ports.ts";
import { type CreateSiteNeeds, createSite } from "#service/site/create-site.ts";

/** A gateway belongs to one site, so its first start creates one. */
export async function ensureFirstSite(needs: CreateSiteNeeds, call: Call, name: string): Promise<void> {
  const { items } = await needs.sites.list("all", { limit: 1, offset: 0 });
  if (items.length > 0) return;
  const timezone = new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
  await createSite(needs, call, { name, timezone, location: undefined });
}
