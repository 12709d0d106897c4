import { DEVICE_TYPES, type Device } from "#core/device/device.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Needs } from "#service/ports.ts";

export interface HostNeeds extends Pick<Needs, "devices"> {
  readonly hosts: DeviceHost;
}

/** Runs the device in its stored state, if it is of a kind that runs in this process. Replaces a running instance. */
export async function hostDevice(needs: HostNeeds, deviceId: string): Promise<void> {
  const device = await needs.devices.find(deviceId);
  if (device !== undefined) await needs.hosts.start(device);
  // It was deleted before it was handed over, so the deletion had nothing to stop.
  if ((await needs.devices.find(deviceId)) === undefined) await needs.hosts.stop(deviceId);
}

const PAGE = 500;

/** Every device that is of such a kind. Devices of a gateway run there. */
export async function hostedDevices(
  needs: HostNeeds & { readonly gateways: Pick<Needs["gateways"], "ownerOf"> },
): Promise<readonly Device[]> {
  const owners = new Map<string, string | undefined>();
  const types = DEVICE_TYPES.filter((type) => needs.hosts.hosts(type));
  const all: Device[] = [];
  for (let offset = 0; types.length > 0; offset += PAGE) {
    const { items, total } = await needs.devices.list({ scope: "all", types }, { limit: PAGE, offset });
    for (const device of items) {
      const { siteId } = device;
      if (!owners.has(siteId)) owners.set(siteId, await needs.gateways.ownerOf(siteId));
      if (owners.get(siteId) === undefined) all.push(device);
    }
    if (offset + PAGE >= total) break;
  }
  return all;
}
