// Tells listeners how controls of a device stand.
import type { Control } from "#core/control/control.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { Needs } from "#service/ports.ts";
import { type ControlView, sourcesIn } from "./control-view.ts";
import { renderControlView } from "./control-wire.ts";
import type { KnownControls } from "./known-controls.ts";
import { nameSources } from "./name-sources.ts";

export interface PublishNeeds extends Pick<Needs, "devices" | "tokens" | "rules" | "now"> {
  readonly catalog: BlueprintCatalog;
  readonly events: Pick<EventHub, "publish">;
}

interface Known {
  readonly controlsOf: KnownControls;
  view(deviceId: string, control: Control): Promise<ControlView>;
}

/** Of these controls; without names, all of the device. */
export async function publishControls(
  needs: PublishNeeds,
  { controlsOf, view }: Known,
  { deviceId, names }: { readonly deviceId: string; readonly names?: ReadonlySet<string> | undefined },
): Promise<void> {
  const device = await needs.devices.find(deviceId);
  const blueprint = device && (await deviceBlueprint(needs, device));
  if (device === undefined || blueprint === undefined) return;
  for (const control of controlsOf(blueprint).values()) {
    if (names?.has(control.id) === false) continue;
    await publishView(needs, device, await view(deviceId, control));
  }
}

export async function publishView(
  needs: PublishNeeds,
  device: { readonly id: string; readonly siteId: string; readonly blueprintId: string | undefined },
  view: ControlView,
): Promise<void> {
  const blueprint = await deviceBlueprint(needs, device);
  needs.events.publish({
    kind: "control",
    siteId: device.siteId,
    deviceId: device.id,
    readLevel: "readonly",
    at: needs.now(),
    control: renderControlView(view, true, await nameSources(needs, sourcesIn(view))),
    measuredLevel: blueprint?.telemetry.get(view.control.reads?.attribute ?? "")?.accessLevel,
  });
}
