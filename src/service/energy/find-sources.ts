// The devices of a site that measure its energy.
import { allows } from "#core/access/level.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";
import type { Device } from "#core/device/device.ts";
import { type EnergySource, energyChoiceOf, energySourcesOf, withoutDoubles } from "#core/energy/energy-sources.ts";
import { convert } from "#manifest/units.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { Call } from "#service/ports.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";

export type SourceNeeds = Pick<NowNeeds, "devices" | "catalog">;

export interface SiteSource extends EnergySource {
  readonly device: Device;
  readonly blueprint: Blueprint;
  readonly category: Category | undefined;
  readonly isChosen: boolean;
}

const PAGE = 1_000;

export async function findSources(needs: SourceNeeds, call: Call, siteId: string): Promise<readonly SiteSource[]> {
  const found: SiteSource[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const filter = { scope: call.caller.sites, siteId };
    const { items } = await needs.devices.list(filter, { limit: PAGE, offset });
    for (const device of items) found.push(...(await sourcesOfDevice(needs, call, device)));
    if (items.length < PAGE) return withoutDoubles(found);
  }
}

/** Without attributes that the caller may not read. */
export async function sourcesOfDevice(needs: SourceNeeds, call: Call, device: Device): Promise<readonly SiteSource[]> {
  const blueprint = await deviceBlueprint(needs, device);
  if (blueprint === undefined) return [];
  const readable = [...blueprint.telemetry].filter(([, { accessLevel }]) => allows(call.caller.level, accessLevel));
  const choice = energyChoiceOf(device);
  const factorOf = (unit: string, to: "W" | "Wh") => convert(1, unit, to);
  const sources = energySourcesOf({ ...blueprint, telemetry: new Map(readable) }, factorOf, choice);
  const isChosen = choice !== undefined;
  return sources.map((source) => ({ ...source, device, blueprint, category: blueprint.category, isChosen }));
}
