// How a device communicates, in the words of existing clients.
import type { Device, DeviceCredential } from "#core/device/device.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { Type } from "#service/operation/schema.ts";
import { described, oneOf } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

export const communicationSchema = described("Communication", "How a device communicates.", {
  type: oneOf(["MQTT_V1_PLAINTEXT", "MQTT_V1_TLS", "MQTT_V1_LOCALHOST", "UCM_LUA", "UCM_EMBEDDED", "LINK"], {
    description: "Of the connection while there is one, otherwise as its settings were generated.",
  }),
  upstream_id: Type.Optional(Type.String({ description: "The device over which this one is reached." })),
  hardware_id: Type.Optional(Type.String()),
  channel_id: Type.Optional(Type.String()),
});

export interface CommunicationNeeds extends Pick<Needs, "devices" | "gateways"> {
  readonly connectivity: Pick<Connectivity, "connection">;
  readonly children: Pick<ChildRoutes, "place" | "find">;
}

/** The device of the gateway that owns a site; undefined for a site of our own. */
export type FindGateway = (siteId: string) => Promise<string | undefined>;

/** Asks once for each site, so that it serves all devices of an answer. */
export function createFindGateway({ devices, gateways }: Pick<Needs, "devices" | "gateways">): FindGateway {
  const known = new Map<string, Promise<string | undefined>>();
  const find = async (siteId: string) => {
    if ((await gateways.ownerOf(siteId)) === undefined) return undefined;
    const { items } = await devices.list({ scope: "all", siteId, types: ["GATEWAY"] }, { limit: 1, offset: 0 });
    return items[0]?.id;
  };
  return (siteId) => {
    const asked = known.get(siteId) ?? find(siteId);
    known.set(siteId, asked);
    return asked;
  };
}

/** Null for a device that nobody reaches over a connection: a simulated one, or one without settings. */
export async function communicationOf(
  needs: CommunicationNeeds,
  device: Device,
  findGateway: FindGateway,
): Promise<object | null> {
  const gateway = await findGateway(device.siteId);
  if (gateway !== undefined) return linkedCommunication(device, gateway);
  if (device.type === "CHILD") return childCommunication(needs, device);
  const credential = await needs.devices.findCredential(device.id);
  const type = typeOf(needs, device, credential);
  if (type === undefined) return null;
  return {
    type,
    ...(device.parentId !== undefined && { upstream_id: device.parentId }),
    ...(credential !== undefined && { hardware_id: credential.hardwareId, channel_id: credential.channelId }),
  };
}

/** How the gateway reaches its device is known to the gateway. Here all ways lead over it. */
function linkedCommunication({ id, type, parentId }: Device, gateway: string): object | null {
  if (id === gateway) return null;
  return { type: type === "LUA" ? "UCM_LUA" : "LINK", upstream_id: parentId ?? gateway };
}

/** A child is on the connection of the device that it hangs on, near or far. */
async function childCommunication(needs: CommunicationNeeds, device: Device): Promise<object | null> {
  await needs.children.place(device);
  const route = needs.children.find(device.id);
  const carrier = route && (await needs.devices.find(route.carrierId));
  if (route === undefined || carrier === undefined) return null;
  const credential = await needs.devices.findCredential(carrier.id);
  const type = typeOf(needs, carrier, credential);
  if (type === undefined) return null;
  return {
    type,
    upstream_id: carrier.id,
    ...(credential !== undefined && { hardware_id: credential.hardwareId }),
    channel_id: route.channelId,
  };
}

function typeOf(
  { connectivity }: CommunicationNeeds,
  { id, type }: Device,
  credential: DeviceCredential | undefined,
): string | undefined {
  if (type === "LUA") return "UCM_LUA";
  if (type === "EMBEDDED_UCM") return "UCM_EMBEDDED";
  if (type === "LINK_MASTER_UCM" || type === "LINK_SLAVE_UCM") return "LINK";
  if (credential === undefined) return undefined;
  return `MQTT_V1_${connectivity.connection(id) ?? (credential.protocol === "MQTTS" ? "TLS" : "PLAINTEXT")}`;
}
