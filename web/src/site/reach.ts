// How many devices of a site are connected, and what is not known. Pure.
import type { Connectivity } from "#web/data/device-state.svelte.ts";

type ReachedDevice = { readonly connectivity: Connectivity; readonly resource: { readonly type: string } };

export type Reach = {
  /** Without the gateway itself: it is a device, too, but not one that people count. */
  readonly devices: number;
  readonly online: number;
  readonly offline: number;
  /** Never heard from, or behind a gateway that is away. */
  readonly unknown: number;
  /** In a cloud: the line to the gateway of the site is cut. */
  readonly isGatewayAway: boolean;
};

export function reachOf(all: readonly ReachedDevice[]): Reach {
  const devices = all.filter(({ resource }) => resource.type !== "GATEWAY");
  const count = (status: Connectivity) => devices.filter(({ connectivity }) => connectivity === status).length;
  return {
    devices: devices.length,
    online: count("ONLINE"),
    offline: count("OFFLINE"),
    unknown: count("UNKNOWN"),
    isGatewayAway: all.some(({ connectivity, resource }) => resource.type === "GATEWAY" && connectivity === "OFFLINE"),
  };
}

type Words = {
  readonly gatewayAway: string;
  readonly stateUnknown: (count: number) => string;
  readonly noneHere: string;
  readonly devicesOnline: (count: number) => string;
  readonly onlineOf: (count: number, all: number) => string;
  readonly offlineOf: (count: number, all: number) => string;
  readonly unknownCount: (count: number) => string;
};

/** A device that was never heard from is no reason to worry; one that went away is, and so is a gateway that is away. */
export function describeReach(
  { devices, online, offline, unknown, isGatewayAway }: Reach,
  t: Words,
): { readonly tone: "ok" | "warning" | "neutral"; readonly text: string } {
  const join = (...parts: readonly (string | false)[]) => parts.filter((part) => part !== false).join(", ");
  const offlineText = offline > 0 && t.offlineOf(offline, devices);
  if (isGatewayAway) {
    return { tone: "warning", text: join(t.gatewayAway, offlineText, unknown > 0 && t.stateUnknown(unknown)) };
  }
  if (devices === 0) return { tone: "neutral", text: t.noneHere };
  if (offline > 0) return { tone: "warning", text: join(offlineText, unknown > 0 && t.unknownCount(unknown)) };
  if (online === devices) return { tone: "ok", text: t.devicesOnline(devices) };
  if (online === 0) return { tone: "neutral", text: t.stateUnknown(unknown) };
  return { tone: "neutral", text: join(t.onlineOf(online, devices), t.unknownCount(unknown)) };
}
