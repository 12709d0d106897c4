// Controls in a cloud: those of its own devices, which it controls as a gateway does, and those that gateways report.
import type { Control } from "#core/control/control.ts";
import type { Needs } from "#service/ports.ts";
import type { ControlView } from "./control-view.ts";
import type { Controls } from "./controls.ts";
import type { ReportedControls } from "./reported-controls.ts";

export interface CloudControlsNeeds extends Pick<Needs, "devices" | "gateways"> {
  readonly controlling: Pick<Controls, "controlsOfDevice" | "view" | "controlled" | "place" | "release" | "heardOf">;
  readonly reportedControls: Pick<ReportedControls, "view" | "controlled" | "publish">;
}

export type CloudControls = ReturnType<typeof createCloudControls>;

export function createCloudControls({ devices, gateways, controlling, reportedControls }: CloudControlsNeeds) {
  const isReported = async (siteId: string | undefined): Promise<boolean> =>
    siteId !== undefined && (await gateways.ownerOf(siteId)) !== undefined;

  const isReportedDevice = async (deviceId: string) => await isReported((await devices.find(deviceId))?.siteId);

  return {
    controlsOfDevice: controlling.controlsOfDevice,
    // Of a device of a gateway, the gateway is asked; the records refuse such a claim.
    place: controlling.place,
    release: controlling.release,
    async view(deviceId: string, control: Control): Promise<ControlView> {
      const from = (await isReportedDevice(deviceId)) ? reportedControls : controlling;
      return await from.view(deviceId, control);
    },
    async controlled(siteId: string): Promise<Iterable<string>> {
      return (await isReported(siteId)) ? await reportedControls.controlled(siteId) : await controlling.controlled();
    },
    /** Another node has seen other controls of the device. */
    async heardOf(deviceId: string, control: string | undefined): Promise<void> {
      if (await isReportedDevice(deviceId)) await reportedControls.publish(deviceId);
      else controlling.heardOf(deviceId, control);
    },
  };
}
