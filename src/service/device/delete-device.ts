import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";

export async function deleteDevice(
  needs: Pick<Needs, "devices" | "now" | "newId">,
  call: Call,
  idOrSlug: string,
): Promise<void> {
  const device = await visibleDevice(needs, call, idOrSlug);
  const trail = auditTrail(needs, call, {
    target: { siteId: device.siteId, deviceId: device.id },
    details: { name: device.name, slug: device.slug },
  });
  if (!(await needs.devices.delete(device.id, trail))) throw refuse("not_found", `there is no device ${device.id}`);
}
