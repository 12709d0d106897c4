// Controls of gateways' devices, as a cloud knows them: what the gateways have reported. As soon as a gateway is away, nobody knows
// whether that still holds, and its controls say since when.
import type { Control } from "#core/control/control.ts";
import { takesControls } from "#core/link/protocol.ts";
import { unconfirmedSince } from "#core/link/unconfirmed-since.ts";
import type { ReportedInterlocks } from "#service/interlock/reported-interlocks.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { ControlView } from "./control-view.ts";
import { createKnownControls } from "./known-controls.ts";
import { resolveWithin } from "./limiter.ts";
import { type PublishNeeds, publishControls } from "./publish-controls.ts";
import { type ReadControlsNeeds, storedView, type ViewNeeds } from "./read-controls.ts";

export interface ReportedControlsNeeds extends ReadControlsNeeds, PublishNeeds, Pick<Needs, "gateways" | "profiles"> {
  readonly reportedInterlocks: Pick<ReportedInterlocks, "limitsOf">;
  readonly nodes: Pick<Nodes, "isShared" | "broadcast">;
}

export type ReportedControls = ReturnType<typeof createReportedControls>;

export function createReportedControls(needs: ReportedControlsNeeds) {
  const controlsOf = createKnownControls(needs.profiles);

  async function view(deviceId: string, control: Control): Promise<ControlView> {
    const device = await needs.devices.find(deviceId);
    const limits = device === undefined ? [] : await needs.reportedInterlocks.limitsOf(device, control.id);
    const limiter: ViewNeeds["limiter"] = {
      resolve: (standing, known, moment) => resolveWithin(limits, standing, { ...moment, control: known }),
    };
    const stored = await storedView({ ...needs, limiter }, deviceId, control);
    const owner = device && (await needs.gateways.ownerOf(device.siteId));
    const gateway = owner === undefined ? undefined : await needs.gateways.find(owner);
    return { ...stored, unconfirmedSince: gateway && unconfirmedSince(gateway, takesControls) };
  }

  /** Listeners hear how these controls stand now; without names, all of the device. */
  const publish = (deviceId: string, names?: ReadonlySet<string>): Promise<void> =>
    publishControls(needs, { controlsOf, view }, { deviceId, names });

  async function publishGateway(gatewayId: string): Promise<void> {
    for (const siteId of await needs.gateways.sites(gatewayId)) {
      for (const deviceId of await needs.controls.devicesOfSite(siteId)) await publish(deviceId);
    }
  }

  return {
    view,
    controlled: (siteId: string): Promise<Iterable<string>> => needs.controls.devicesOfSite(siteId),
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
