// A gateway is a device of each of its sites: clients look for a device of type GATEWAY, and scripts run on it.
import { UNSET_FIELDS } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { allPages } from "#service/all-pages.ts";
import type { Call, Needs } from "#service/ports.ts";

export type GatewayDeviceNeeds = Pick<Needs, "devices" | "now" | "newId">;

export async function addGatewayDevice(needs: GatewayDeviceNeeds, call: Call, siteId: string): Promise<void> {
  const now = needs.now();
  const id = needs.newId();
  const trail = auditTrail(needs, call, { target: { siteId, deviceId: id }, details: { type: "GATEWAY" } });
  const device = {
    id,
    siteId,
    name: "Gateway",
    slug: undefined,
    type: "GATEWAY",
    ...UNSET_FIELDS,
    createdAt: now,
    updatedAt: now,
  } as const;
  await needs.devices.insert(device, trail);
}

/** For sites that have none. */
export async function addMissingGatewayDevices(
  needs: GatewayDeviceNeeds & Pick<Needs, "sites">,
  call: Call,
): Promise<void> {
  const having = new Set<string>();
  const gateways = { scope: "all", types: ["GATEWAY"] } as const;
  for await (const { siteId } of allPages((page) => needs.devices.list(gateways, page))) having.add(siteId);
  for await (const { id } of allPages((page) => needs.sites.list("all", page))) {
    if (!having.has(id)) await addGatewayDevice(needs, call, id);
  }
}
