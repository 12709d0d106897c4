// How controls stand, read from what is known of the device and, where several nodes share the records, from what is stored.
import { type Claim, holds } from "#core/control/claim.ts";
import { type Control, valueOfReading } from "#core/control/control.ts";
import { type ControlState, NEVER_WRITTEN } from "#core/control/control-writer.ts";
import { resolveClaims } from "#core/control/resolve-claims.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { ControlView } from "./control-view.ts";

export interface ReadControlsNeeds extends Pick<Needs, "controls" | "telemetry" | "now"> {
  readonly nodes: Pick<Nodes, "isShared">;
  readonly channel: CommandChannel;
  readonly connectivity: Pick<Connectivity, "status">;
}

/** The device may be connected to another node. */
export function isDeviceReachable({ channel, nodes, connectivity }: ReadControlsNeeds, deviceId: string): boolean {
  return channel.isReady(deviceId) || (nodes.isShared && connectivity.status(deviceId) === "ONLINE");
}

/** What the device measures, in the unit of the control. */
export async function readingOf({ nodes, telemetry }: ReadControlsNeeds, deviceId: string, control: Control) {
  if (control.reads === undefined) return undefined;
  // This node need not have heard the device itself.
  const latest = nodes.isShared ? await telemetry.current(deviceId) : telemetry.latest(deviceId);
  const snapshot = latest.get(control.reads.attribute);
  const value = snapshot === undefined ? undefined : valueOfReading(control, snapshot.value);
  return snapshot === undefined || value === undefined ? undefined : { value, at: snapshot.at };
}

interface Standing {
  readonly deviceId: string;
  readonly control: Control;
  readonly claims: readonly Claim[];
  readonly state: ControlState;
}

export async function viewOf(
  needs: ReadControlsNeeds,
  { deviceId, control, claims, state }: Standing,
  now: number,
): Promise<ControlView> {
  return {
    deviceId,
    control,
    resolution: resolveClaims(control, claims, now),
    state,
    measured: await readingOf(needs, deviceId, control),
    claims: claims.filter((claim) => holds(claim, now)),
  };
}

export async function storedView(needs: ReadControlsNeeds, deviceId: string, control: Control): Promise<ControlView> {
  const { claims, states } = await needs.controls.load(deviceId);
  const isIt = (one: { readonly control: string }) => one.control === control.id;
  const state = states.find(isIt)?.state ?? NEVER_WRITTEN;
  return await viewOf(needs, { deviceId, control, claims: claims.filter(isIt), state }, needs.now());
}

/** Devices that somebody controls, or that are still owed their fallback. */
export async function storedDevices({ controls }: ReadControlsNeeds): Promise<ReadonlySet<string>> {
  const { claims, states } = await controls.load();
  const held = states.filter(({ state }) => state.isHeld);
  return new Set([...claims, ...held].map(({ deviceId }) => deviceId));
}
