import { seesSite } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import type { Site } from "#core/site/site.ts";
import type { Call, Needs } from "#service/ports.ts";

/** The site. The refusal is the same whether it does not exist or the caller may not see it. */
export async function visibleSite(needs: Pick<Needs, "sites">, call: Call, siteId: string): Promise<Site> {
  const site = seesSite(call.caller, siteId) ? await needs.sites.find(siteId) : undefined;
  if (site === undefined) throw refuse("not_found", `there is no site ${siteId}`);
  return site;
}
