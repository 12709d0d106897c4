import { refuse } from "#core/app-error.ts";
import type { Site } from "#core/site/site.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface RuleSiteNeeds extends Pick<Needs, "sites"> {
  readonly role: "gateway" | "cloud";
}

/** Rules run where the devices are. */
export async function requireRuleSite(needs: RuleSiteNeeds, call: Call, siteId: string): Promise<Site> {
  const site = await visibleSite(needs, call, siteId);
  if (needs.role === "gateway") return site;
  throw refuse("not_available", "rules run on gateways; a cloud has none of its own");
}
