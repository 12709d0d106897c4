import type { SiteRetention } from "#core/telemetry/retention.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

/** Replaces all rules of the site. Data that they no longer keep is deleted in the next round of the chore. */
export async function putRetention(
  needs: Pick<Needs, "sites" | "retentions" | "now" | "newId">,
  call: Call,
  { siteId, retention }: { readonly siteId: string; readonly retention: SiteRetention },
): Promise<void> {
  const site = await visibleSite(needs, call, siteId);
  const details = { default: retention.fallback, attributes: Object.fromEntries(retention.attributes) };
  await needs.retentions.put(site.id, retention, auditTrail(needs, call, { target: { siteId: site.id }, details }));
}
