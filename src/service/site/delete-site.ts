import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export async function deleteSite(
  needs: Pick<Needs, "sites" | "now" | "newId">,
  call: Call,
  siteId: string,
): Promise<void> {
  const site = await visibleSite(needs, call, siteId);
  const trail = auditTrail(needs, call, {
    target: { siteId },
    details: { name: site.name },
  });
  if (!(await needs.sites.delete(siteId, trail))) throw refuse("not_found", `there is no site ${siteId}`);
}
