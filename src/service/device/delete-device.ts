import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface DeleteDeviceNeeds extends Pick<Needs, "devices" | "telemetry" | "now" | "newId"> {
  readonly channel: Carrier;
  readonly hosts: DeviceHost;
  readonly connectivity: Connectivity;
  readonly alertTracker: AlertTracker;
  readonly children: Pick<ChildRoutes, "forget">;
}

/** Deletes the device with its executions, logs, configuration, alerts and telemetry. */
export async function deleteDevice(needs: DeleteDeviceNeeds, call: Call, idOrSlug: string): Promise<void> {
  const device = await visibleDevice(needs, call, idOrSlug);
  if (device.type === "GATEWAY") throw refuse("conflict", "this device is the gateway itself; it goes with its site");
  const trail = auditTrail(needs, call, {
    target: { siteId: device.siteId, deviceId: device.id },
    details: { name: device.name, slug: device.slug },
  });
  if (!(await needs.devices.delete(device.id, trail))) throw refuse("not_found", `there is no device ${device.id}`);
  await needs.hosts.stop(device.id);
  needs.channel.disconnect(device.id);
  needs.connectivity.forget(device.id);
  needs.children.forget(device.id);
  needs.alertTracker.forget(device.id);
  await needs.telemetry.deleteDevice(device.id);
}
