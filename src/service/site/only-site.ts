import { refuse } from "#core/app-error.ts";
import type { Site } from "#core/site/site.ts";
import type { Call, Needs } from "#service/ports.ts";

/** The site meant when none is named: the only one the caller sees. */
export async function onlySite(needs: Pick<Needs, "sites">, call: Call): Promise<Site> {
  const { items, total } = await needs.sites.list(call.caller.sites, { limit: 1, offset: 0 });
  const [site] = items;
  if (site === undefined) throw refuse("not_found", "there is no site");
  if (total > 1) throw refuse("invalid_body", `there are ${total} sites; name one`, { pointer: "/site_id" });
  return site;
}
