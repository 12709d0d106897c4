// The devices of one connected gateway, and whether they are online.
import type { Connectivity } from "#service/device/connectivity.ts";
import type { Needs } from "#service/ports.ts";

export interface GatewayDevices {
  /** Site of each device. */
  readonly sites: Map<string, string>;
  /** Those that stand for the gateway itself. */
  readonly own: Set<string>;
  /** Reads what is stored here. */
  read(): Promise<void>;
  /** The gateway is connected. */
  connected(): void;
  /** The gateway says how a device is. */
  note(deviceId: string, status: string): void;
  /** The gateway has reported a device. What it said about it before counts from now on. */
  noteEarly(deviceId: string): void;
  /** The connection has ended. `isLost`: another node may talk to the gateway, so nothing is noted here. */
  leave(isLost: boolean): void;
}

export interface GatewayDeviceNeeds extends Pick<Needs, "gateways"> {
  readonly connectivity: Connectivity;
}

const MAX_EARLY = 10_000;
/** Longer ids and states are none of ours. */
const LONGEST_EARLY = 100;

export function createGatewayDevices(needs: GatewayDeviceNeeds, gatewayId: string): GatewayDevices {
  const sites = new Map<string, string>();
  const own = new Set<string>();
  /** Connectivity of devices that the gateway has not reported yet. */
  const early = new Map<string, string>();

  function note(deviceId: string, status: string): void {
    if (!sites.has(deviceId)) {
      const isShort = deviceId.length + status.length <= LONGEST_EARLY;
      if (isShort && early.size < MAX_EARLY) early.set(deviceId, status);
      return;
    }
    if (own.has(deviceId)) return;
    if (status === "ONLINE") needs.connectivity.connected(deviceId);
    else if (status === "OFFLINE") needs.connectivity.absent(deviceId);
  }

  return {
    sites,
    own,
    async read() {
      for (const { id, siteId, type } of await needs.gateways.devices(gatewayId)) {
        sites.set(id, siteId);
        if (type === "GATEWAY") own.add(id);
      }
    },
    connected() {
      for (const deviceId of own) needs.connectivity.connected(deviceId);
    },
    note,
    noteEarly(deviceId) {
      const status = early.get(deviceId);
      if (status !== undefined && early.delete(deviceId)) note(deviceId, status);
    },
    leave(isLost) {
      for (const deviceId of sites.keys()) {
        if (isLost) needs.connectivity.letGo(deviceId);
        else if (own.has(deviceId)) needs.connectivity.absent(deviceId);
        else needs.connectivity.loseSight(deviceId);
      }
    },
  };
}
