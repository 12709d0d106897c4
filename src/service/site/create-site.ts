import type { Location, Site } from "#core/site/site.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { addGatewayDevice } from "#service/device/gateway-device.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface SiteInput {
  readonly name: string;
  readonly timezone: string;
  /** Nobody has said that the time zone is the right one. */
  readonly timezoneAssumed: boolean;
  readonly location: Location | undefined;
}

export interface CreateSiteNeeds extends Pick<Needs, "sites" | "devices" | "now" | "newId"> {
  readonly role: "gateway" | "cloud";
}

/** Requires a token for all sites: another token could not see the new site. A gateway is a device of its site. */
export async function createSite(needs: CreateSiteNeeds, call: Call, input: SiteInput): Promise<Site> {
  requireAllSites(call.caller);
  const now = needs.now();
  const site: Site = {
    id: needs.newId(),
    name: input.name,
    timezone: input.timezone,
    ...(input.timezoneAssumed && { timezoneAssumed: true }),
    ...(input.location !== undefined && { location: input.location }),
    createdAt: now,
    updatedAt: now,
  };
  const trail = auditTrail(needs, call, {
    target: { siteId: site.id },
    details: { name: site.name },
  });
  await needs.sites.insert(site, trail);
  if (needs.role === "gateway") await addGatewayDevice(needs, call, site.id);
  return site;
}
