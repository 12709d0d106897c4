// Controls of gateways' devices, as a cloud knows them: what the gateways have reported. As soon as a gateway is away, nobody knows
// whether that still holds, and its controls say since when.
import { refuse } from "#core/app-error.ts";
import type { Control } from "#core/control/control.ts";
import { resolveClaims } from "#core/control/resolve-claims.ts";
import type { Device } from "#core/device/device.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { takesControls } from "#core/link/protocol.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { type ControlView, sourcesIn } from "./control-view.ts";
import { renderControlView } from "./control-wire.ts";
import { createKnownControls } from "./known-controls.ts";
import { nameSources } from "./name-sources.ts";
import { type ReadControlsNeeds, storedView, type ViewNeeds } from "./read-controls.ts";

export interface ReportedControlsNeeds
  extends ReadControlsNeeds,
    Pick<Needs, "devices" | "gateways" | "profiles" | "tokens" | "rules"> {
  readonly catalog: BlueprintCatalog;
  readonly events: Pick<EventHub, "publish">;
  readonly nodes: Pick<Nodes, "isShared" | "broadcast">;
}

/** A cloud has no copies of interlocks. */
const CLAIMS_ALONE: ViewNeeds["limiter"] = {
  resolve: ({ claims }, control, { now }) => ({ resolution: resolveClaims(control, claims, now) }),
};

export type ReportedControls = ReturnType<typeof createReportedControls>;

export function createReportedControls(needs: ReportedControlsNeeds) {
  const controlsOf = createKnownControls(needs.profiles);

  async function controlsOfDevice(device: Pick<Device, "blueprintId">): Promise<ReadonlyMap<string, Control>> {
    const blueprint = await deviceBlueprint(needs, device);
    return blueprint === undefined ? new Map() : controlsOf(blueprint);
  }

  async function view(deviceId: string, control: Control): Promise<ControlView> {
    const [device, stored] = await Promise.all([
      needs.devices.find(deviceId),
      storedView({ ...needs, limiter: CLAIMS_ALONE }, deviceId, control),
    ]);
    const owner = device && (await needs.gateways.ownerOf(device.siteId));
    const gateway = owner === undefined ? undefined : await needs.gateways.find(owner);
    return { ...stored, unconfirmedSince: gateway && unconfirmedSince(gateway) };
  }

  /** Listeners hear how these controls stand now; without names, all of the device. */
  async function publish(deviceId: string, names?: ReadonlySet<string>): Promise<void> {
    const device = await needs.devices.find(deviceId);
    const blueprint = device && (await deviceBlueprint(needs, device));
    if (device === undefined || blueprint === undefined) return;
    for (const control of controlsOf(blueprint).values()) {
      if (names?.has(control.id) === false) continue;
      const now = await view(deviceId, control);
      const measuredLevel = blueprint.telemetry.get(control.reads?.attribute ?? "")?.accessLevel;
      needs.events.publish({
        kind: "control",
        siteId: device.siteId,
        deviceId,
        readLevel: "readonly",
        at: needs.now(),
        control: renderControlView(now, true, await nameSources(needs, sourcesIn(now))),
        measuredLevel,
      });
    }
  }

  async function publishGateway(gatewayId: string): Promise<void> {
    for (const siteId of await needs.gateways.sites(gatewayId)) {
      for (const deviceId of await needs.controls.devicesOfSite(siteId)) await publish(deviceId);
    }
  }

  async function refused(): Promise<never> {
    throw refuse("not_available", "a cloud controls the devices of its gateways only; this device has none");
  }

  return {
    controlsOfDevice,
    view,
    controlled: (siteId: string): Promise<Iterable<string>> => needs.controls.devicesOfSite(siteId),
    /** Of a device of a gateway, the gateway is asked. */
    place: refused,
    release: refused,
    publish,
    publishGateway,
    /** The gateway has reported other controls of the device. */
    async changed(deviceId: string, names: ReadonlySet<string>): Promise<void> {
      if (names.size === 0) return;
      await publish(deviceId, names);
      needs.nodes.broadcast({ kind: "controls", deviceId });
    },
    /** The gateway has come or gone. */
    async gatewayChanged(gatewayId: string): Promise<void> {
      await publishGateway(gatewayId);
      needs.nodes.broadcast({ kind: "gateway_controls", id: gatewayId });
    },
  };
}

/** Undefined while the gateway is here and has said everything. One that never says it is never confirmed. */
function unconfirmedSince({ protocol, createdAt, lastSeenAt, isConnected, isCaughtUp }: Gateway): number | undefined {
  if (!takesControls(protocol ?? "")) return createdAt;
  return isConnected && isCaughtUp === true ? undefined : (lastSeenAt ?? createdAt);
}
