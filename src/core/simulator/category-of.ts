import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";

/** Profiles by which the kind of a device shows; the first match counts. */
const BY_PROFILE: readonly (readonly [prefix: string, category: Category])[] = [
  ["energy.battery", "battery-systems"],
  ["energy.ev_charger", "electric-vehicles"],
  ["energy.electrolyser", "electrolysers"],
  ["energy.pv", "solar-generators"],
  ["energy.inverter", "solar-generators"],
  ["energy.meter", "power-meters"],
  ["energy.grid_meter", "power-meters"],
  ["sensor", "sensors"],
];

/** The kind of device: as its author states, or as its profiles imply. */
export function categoryOf(blueprint: Pick<Blueprint, "category" | "implements">): Category | undefined {
  if (blueprint.category !== undefined) return blueprint.category;
  const has = (prefix: string) => blueprint.implements.some((id) => id === prefix || id.startsWith(`${prefix}.`));
  return BY_PROFILE.find(([prefix]) => has(prefix))?.[1];
}
