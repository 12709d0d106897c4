import type { Device } from "#core/device/device.ts";
import { isUuid } from "#core/device/slug.ts";
import type { SiteDevice, SiteKnowledge } from "#core/interlock/resolve-interlock.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { KnownControls } from "#service/control/known-controls.ts";
import type { Needs } from "#service/ports.ts";

export interface KnowledgeNeeds extends Pick<Needs, "devices"> {
  readonly catalog: BlueprintCatalog;
}

/** What interlocks of a site may name, and when those devices were created, by id. `names` are ids or slugs as written, with the ids that were meant where they are known. */
export async function siteKnowledge(
  needs: KnowledgeNeeds,
  controlsOf: KnownControls,
  { siteId, names }: { readonly siteId: string; readonly names: ReadonlyMap<string, string | undefined> },
): Promise<SiteKnowledge & { readonly createdAt: ReadonlyMap<string, number> }> {
  const devices = new Map<string, SiteDevice>();
  const createdAt = new Map<string, number>();
  for (const [name, id] of names) {
    const device = await findDevice(needs, siteId, id ?? name);
    if (device === undefined) continue;
    createdAt.set(device.id, device.createdAt);
    const blueprint = await deviceBlueprint(needs, device);
    devices.set(name, {
      id: device.id,
      attributes: blueprint?.telemetry ?? new Map(),
      controls: blueprint === undefined ? new Map() : controlsOf(blueprint),
    });
  }
  return { device: (name) => devices.get(name), conversion: conversionOf, createdAt };
}

/** A device of another site is none. */
async function findDevice({ devices }: KnowledgeNeeds, siteId: string, idOrSlug: string): Promise<Device | undefined> {
  if (isUuid(idOrSlug)) return await devices.findIn(idOrSlug.toLowerCase(), new Set([siteId]));
  const [device] = await devices.findBySlug(idOrSlug, new Set([siteId]));
  return device;
}
