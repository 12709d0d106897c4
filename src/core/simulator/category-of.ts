import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";
import { kindOf } from "./status-words.ts";

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

/** The kind of device: as its author states, as its profiles imply, or by what it can do. */
export function categoryOf(blueprint: Pick<Blueprint, "category" | "implements" | "telemetry">): Category | undefined {
  if (blueprint.category !== undefined) return blueprint.category;
  const has = (prefix: string) => blueprint.implements.some((id) => id === prefix || id.startsWith(`${prefix}.`));
  const implied = BY_PROFILE.find(([prefix]) => has(prefix))?.[1];
  if (implied !== undefined) return implied;
  // What charges and discharges can only be a battery.
  const words = [...blueprint.telemetry.values()].flatMap((attribute) => attribute.enum ?? []);
  return words.some(({ value }) => kindOf(value) === "discharging") ? "battery-systems" : undefined;
}
