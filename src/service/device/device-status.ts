import type { Device } from "#core/device/device.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { ConnectivityStatus } from "#service/event/happening.ts";

export interface StatusNeeds {
  readonly connectivity: Pick<Connectivity, "status">;
  readonly role: "gateway" | "cloud";
}

/**
 * A gateway that answers is online: it is the program itself, and nobody hears it connect. In a cloud, a gateway is there
 * while the link says so.
 */
export function deviceStatus(needs: StatusNeeds, { id, type }: Pick<Device, "id" | "type">): ConnectivityStatus {
  const status = needs.connectivity.status(id);
  if (type !== "GATEWAY" || status !== "UNKNOWN") return status;
  return needs.role === "gateway" ? "ONLINE" : "OFFLINE";
}
