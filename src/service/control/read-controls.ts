// How controls stand, read from what is known of the device and, where several nodes share the records, from what is stored.
import { type Claim, holds } from "#core/control/claim.ts";
import { type Control, valueOfReading } from "#core/control/control.ts";
import { type ControlState, NEVER_WRITTEN } from "#core/control/control-writer.ts";
import type { Resolution } from "#core/control/resolve-claims.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
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

export type Latest = ReadonlyMap<string, Snapshot>;

/** This node need not have heard the device itself. */
export async function latestOf(
  { nodes, telemetry }: Pick<ReadControlsNeeds, "nodes" | "telemetry">,
  deviceId: string,
): Promise<Latest> {
  return nodes.isShared ? await telemetry.current(deviceId) : telemetry.latest(deviceId);
}

/** What the device measures, in the unit of the control. */
export async function readingOf(needs: ReadControlsNeeds, deviceId: string, control: Control) {
  return control.reads === undefined ? undefined : readingIn(await latestOf(needs, deviceId), control);
}

export function readingIn(latest: Latest | undefined, control: Control) {
  const snapshot = control.reads === undefined ? undefined : latest?.get(control.reads.attribute);
  const value = snapshot === undefined ? undefined : valueOfReading(control, snapshot.value);
  return snapshot === undefined || value === undefined ? undefined : { value, at: snapshot.at };
}

interface Standing {
  readonly deviceId: string;
  readonly control: Control;
  readonly claims: readonly Claim[];
  readonly state: ControlState;
  readonly heldFrom: number | undefined;
}

interface Moment {
  readonly reading: { readonly value: number; readonly at: number } | undefined;
  readonly now: number;
}

export interface ViewNeeds extends ReadControlsNeeds {
  /** Says what counts, with all limits. */
  readonly limiter: {
    resolve(standing: Standing, control: Control, moment: Moment): { readonly resolution: Resolution };
  };
}

export async function viewOf(needs: ViewNeeds, standing: Standing, now: number): Promise<ControlView> {
  const { deviceId, control, claims, state } = standing;
  const reading = await readingOf(needs, deviceId, control);
  return {
    deviceId,
    control,
    resolution: needs.limiter.resolve(standing, control, { reading, now }).resolution,
    state,
    measured: reading,
    claims: claims.filter((claim) => holds(claim, now)),
  };
}

export async function storedView(needs: ViewNeeds, deviceId: string, control: Control): Promise<ControlView> {
  const { claims, states } = await needs.controls.load(deviceId);
  const isIt = (one: { readonly control: string }) => one.control === control.id;
  const state = states.find(isIt)?.state ?? NEVER_WRITTEN;
  return await viewOf(
    needs,
    { deviceId, control, claims: claims.filter(isIt), state, heldFrom: undefined },
    needs.now(),
  );
}

/** Devices that somebody controls, or that are still owed their fallback. */
export async function storedDevices({ controls }: ReadControlsNeeds): Promise<ReadonlySet<string>> {
  const { claims, states } = await controls.load();
  const held = states.filter(({ state }) => state.isHeld);
  return new Set([...claims, ...held].map(({ deviceId }) => deviceId));
}
