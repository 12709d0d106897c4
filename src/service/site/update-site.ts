import { refuse } from "#core/app-error.ts";
import type { Site, SiteChange } from "#core/site/site.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export async function updateSite(
  needs: Pick<Needs, "sites" | "now" | "newId">,
  call: Call,
  { siteId, change }: { readonly siteId: string; readonly change: SiteChange },
): Promise<Site> {
  const before = await visibleSite(needs, call, siteId);
  if (Object.keys(change).length === 0) return before;
  const trail = auditTrail(needs, call, {
    target: { siteId },
    details: { ...change, ...("location" in change && { location: change.location ?? null }) },
  });
  const site = await needs.sites.update(siteId, { ...change, updatedAt: needs.now() }, trail);
  if (site === undefined) throw refuse("not_found", `there is no site ${siteId}`);
  return site;
}
