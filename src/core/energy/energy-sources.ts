// What a device says about the energy of its site, by the profiles' names of attributes and by its category.
import type { Blueprint, TelemetryAttribute } from "#core/blueprint/blueprint.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";

export type EnergyRole = "production" | "battery" | "grid" | "load";

/** What a person looks for in a stacked bar: producers and loads by kind. Grid and batteries have no kinds. */
export type EnergyGroup = "solar" | "production" | "car" | "hydrogen" | "load";

/** A telemetry attribute, and by what its values are multiplied to be watts or watt-hours. */
interface ScaledAttribute {
  readonly id: string;
  readonly factor: number;
}

export interface EnergySource {
  readonly role: EnergyRole;
  /** Of producers and loads. */
  readonly group: EnergyGroup | undefined;
  /**
   * Positive is what the role is about: produced, used by a load, taken from the grid. A battery is positive while it
   * discharges, as the profile says.
   */
  readonly power: ScaledAttribute | undefined;
  /** Counters of the positive direction, and of the other one. */
  readonly counter: ScaledAttribute | undefined;
  readonly counterBack: ScaledAttribute | undefined;
}

const PRODUCERS: ReadonlySet<Category> = new Set([
  "solar-generators",
  "wind-generators",
  "fuel-generators",
  "fuel-cells",
]);
const LOADS: ReadonlySet<Category> = new Set([
  "loads",
  "electric-vehicles",
  "electrolysers",
  "hvac",
  "water-treatment",
  "gas-equipment",
]);
const LOAD_GROUPS: ReadonlyMap<Category, EnergyGroup> = new Map([
  ["electric-vehicles", "car"],
  ["electrolysers", "hydrogen"],
]);

/** How many of one unit another one is: `factorOf("kW", "W")` is 1000. Undefined where they do not fit. */
type FactorOf = (unit: string, to: "W" | "Wh") => number | undefined;

/** A hybrid inverter has several. */
export function energySourcesOf(blueprint: Blueprint, factorOf: FactorOf): readonly EnergySource[] {
  const find = (name: string, to: "W" | "Wh"): ScaledAttribute | undefined => {
    const attribute = blueprint.telemetry.get(name) ?? byAlias(blueprint, name);
    if (attribute === undefined || (attribute.type !== "float" && attribute.type !== "integer")) return undefined;
    const factor = attribute.unit === undefined ? undefined : factorOf(attribute.unit, to);
    return factor === undefined ? undefined : { id: attribute.id, factor };
  };
  const { category } = blueprint;
  const grid: EnergySource = {
    role: "grid",
    group: undefined,
    power: find("grid_power", "W"),
    counter: find("grid_energy_import", "Wh"),
    counterBack: find("grid_energy_export", "Wh"),
  };
  const battery: EnergySource = {
    role: "battery",
    group: undefined,
    power: find("battery_power", "W"),
    counter: undefined,
    counterBack: undefined,
  };
  const sources = [grid, battery].filter(isKnown);
  const [acPower, pvPower] = [find("ac_power", "W"), find("pv_power", "W")];
  const total = find("ac_energy_total", "Wh");
  if (pvPower !== undefined || (category !== undefined && PRODUCERS.has(category))) {
    // Where a battery is behind the same inverter, only the power of the panels is production.
    const power = battery.power === undefined ? (acPower ?? pvPower) : pvPower;
    const counter = find("pv_energy_total", "Wh") ?? (battery.power === undefined ? total : undefined);
    const group = pvPower !== undefined || category === "solar-generators" ? "solar" : "production";
    sources.push({ role: "production", group, power, counter, counterBack: undefined });
  } else if (category !== undefined && LOADS.has(category)) {
    const group = LOAD_GROUPS.get(category) ?? "load";
    sources.push({ role: "load", group, power: acPower, counter: total, counterBack: undefined });
  }
  return sources.filter(isKnown);
}

function isKnown({ power, counter, counterBack }: EnergySource): boolean {
  return power !== undefined || counter !== undefined || counterBack !== undefined;
}

function byAlias({ telemetry }: Blueprint, name: string): TelemetryAttribute | undefined {
  for (const attribute of telemetry.values()) if (attribute.aliases.includes(name)) return attribute;
  return undefined;
}

/**
 * Of several devices that report the grid or a battery, the ones that are made for it count: a hybrid inverter also
 * reads the meter, and both would count twice.
 */
export function withoutDoubles<Source extends { readonly role: EnergyRole; readonly category: Category | undefined }>(
  sources: readonly Source[],
): readonly Source[] {
  const own: Readonly<Partial<Record<EnergyRole, Category>>> = { grid: "power-meters", battery: "battery-systems" };
  return sources.filter(({ role, category }) => {
    const made = own[role];
    if (made === undefined || category === made) return true;
    return !sources.some((other) => other.role === role && other.category === made);
  });
}
