import type { Device } from "#core/device/device.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { ConnectivityStatus } from "#service/event/happening.ts";

/** A gateway that answers is online: it is the program itself, and nobody hears it connect. */
export function deviceStatus(
  connectivity: Pick<Connectivity, "status">,
  { id, type }: Pick<Device, "id" | "type">,
): ConnectivityStatus {
  return type === "GATEWAY" ? "ONLINE" : connectivity.status(id);
}
