import type { Call, Needs } from "#service/ports.ts";
import { createSite } from "#service/site/create-site.ts";

/** A gateway belongs to one site, so its first start creates one. */
export async function ensureFirstSite(
  needs: Pick<Needs, "sites" | "now" | "newId">,
  call: Call,
  name: string,
): Promise<void> {
  const { items } = await needs.sites.list("all", { limit: 1, offset: 0 });
  if (items.length > 0) return;
  const timezone = new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
  await createSite(needs, call, { name, timezone, location: undefined });
}
