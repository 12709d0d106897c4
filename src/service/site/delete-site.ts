import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

/** The gateway's own device goes with its site; the store refuses while there are others. */
export async function deleteSite(
  needs: Pick<Needs, "sites" | "devices" | "now" | "newId">,
  call: Call,
  siteId: string,
): Promise<void> {
  const site = await visibleSite(needs, call, siteId);
  const trail = auditTrail(needs, call, {
    target: { siteId },
    details: { name: site.name },
  });
  const { items, total } = await needs.devices.list({ scope: "all", siteId }, { limit: 1, offset: 0 });
  const [device] = items;
  if (total === 1 && device?.type === "GATEWAY") {
    await needs.devices.delete(
      device.id,
      auditTrail(needs, call, { target: { siteId, deviceId: device.id }, details: { type: "GATEWAY" } }),
    );
  }
  if (!(await needs.sites.delete(siteId, trail))) throw refuse("not_found", `there is no site ${siteId}`);
}
