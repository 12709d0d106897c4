import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { DeviceHost, HostedStatus } from "#service/ports/device-host.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface RuntimeNeeds extends Pick<Needs, "devices" | "audit" | "now" | "newId"> {
  readonly hosts: DeviceHost;
}

/** The state of the device's script or model; undefined for a device that does not run in this process. */
export async function readRuntime(
  needs: RuntimeNeeds,
  call: Call,
  idOrSlug: string,
): Promise<HostedStatus | undefined> {
  const device = await visibleDevice(needs, call, idOrSlug);
  return needs.hosts.status(device.id);
}

/** Restarts it, also out of a quarantine. Its running commands end as interrupted. */
export async function restartRuntime(needs: RuntimeNeeds, call: Call, idOrSlug: string): Promise<HostedStatus> {
  const device = await visibleDevice(needs, call, idOrSlug);
  if (needs.hosts.status(device.id) === undefined) {
    throw refuse("conflict", `device ${device.slug} (type ${device.type}) has no script on this gateway`);
  }
  const target = { siteId: device.siteId, deviceId: device.id };
  await needs.audit.append([auditTrail(needs, call, { target, details: {} })]);
  await needs.hosts.restart(device.id);
  const status = needs.hosts.status(device.id);
  if (status === undefined) throw refuse("not_found", `there is no device ${device.id}`);
  return status;
}
