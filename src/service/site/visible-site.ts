import { seesSite } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import type { Site } from "#core/site/site.ts";
import type { Call, Needs } from "#service/ports.ts";

/** The site, or the same refusal whether it is unknown or only invisible. */
export async function visibleSite(needs: Pick<Needs, "sites">, call: Call, siteId: string): Promise<Site> {
  const site = seesSite(call.caller, siteId) ? await needs.sites.find(siteId) : undefined;
  if (site === undefined) throw refuse("not_found", `there is no site ${siteId}`);
  return site;
}
