import type { Device } from "#core/device/device.ts";
import { safeLimit } from "#core/interlock/evaluate-damaged.ts";
import type { Resolved, ResolvedLimit } from "#core/interlock/resolve-interlock.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { KnownControls } from "#service/control/known-controls.ts";
import type { DamagedInterlock } from "#service/ports/interlock-store.ts";
import type { KnowledgeNeeds } from "./site-knowledge.ts";

const AT_ONCE = 200;

/** What it may have limited: the controls of the devices that it named, or all of the site if nobody knows which those were. */
export async function resolveDamaged(
  needs: KnowledgeNeeds,
  controlsOf: KnownControls,
  { siteId, devices }: DamagedInterlock,
): Promise<Extract<Resolved, { readonly kind: "damaged" }>> {
  const site = new Set([siteId]);
  const limits: ResolvedLimit[] = [];
  const add = async (device: Device) => {
    const blueprint = await deviceBlueprint(needs, device);
    if (blueprint === undefined) return;
    for (const control of controlsOf(blueprint).values()) limits.push(safeLimit(device.id, control));
  };
  for (const id of new Set(devices.values())) {
    const device = await needs.devices.findIn(id, site);
    if (device !== undefined) await add(device);
  }
  if (limits.length > 0) return { kind: "damaged", limits };
  for (let offset = 0, total = 1; offset < total; offset += AT_ONCE) {
    const page = await needs.devices.list({ scope: site, siteId }, { limit: AT_ONCE, offset });
    total = page.total;
    for (const device of page.items) await add(device);
  }
  return { kind: "damaged", limits };
}
