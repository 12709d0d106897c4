// What a device says about the energy of its site, by the profiles' names of attributes and by its category.
import type { Blueprint, TelemetryAttribute } from "#core/blueprint/blueprint.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";

export type EnergyRole = "production" | "battery" | "grid" | "load";

/** What a person can say about a device. `none`: it has no part in the energy of its site. */
export const ENERGY_CHOICES = ["grid", "production", "battery", "load", "none"] as const;
export type EnergyChoice = (typeof ENERGY_CHOICES)[number];

/** A gateway of another version may know choices that this one does not: then it is guessed. */
export function energyChoiceOf({ energyRole }: { readonly energyRole: string | undefined }): EnergyChoice | undefined {
  return ENERGY_CHOICES.find((choice) => choice === energyRole);
}

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

type Find = (name: string, to: "W" | "Wh") => ScaledAttribute | undefined;

/** A hybrid inverter has several. `choice`: what a person says that the device is. */
export function energySourcesOf(
  blueprint: Blueprint,
  factorOf: FactorOf,
  choice?: EnergyChoice | undefined,
): readonly EnergySource[] {
  const find: Find = (name, to) => {
    const attribute = blueprint.telemetry.get(name) ?? byAlias(blueprint, name);
    if (attribute === undefined || (attribute.type !== "float" && attribute.type !== "integer")) return undefined;
    const factor = attribute.unit === undefined ? undefined : factorOf(attribute.unit, to);
    return factor === undefined ? undefined : { id: attribute.id, factor };
  };
  if (choice === undefined) return guessedSources(blueprint, find);
  return choice === "none" ? [] : [chosenSource(blueprint.category, find, choice)].filter(isKnown);
}

/**
 * A meter counts what flows towards the loads as import. In front of a producer or a battery that direction is the other one:
 * what it exports is produced, or discharged.
 */
function chosenSource(category: Category | undefined, find: Find, role: EnergyRole): EnergySource {
  const power = find("ac_power", "W") ?? find("active_power", "W") ?? find("power", "W");
  const [meter, taken, given] = [
    find("grid_power", "W"),
    find("grid_energy_import", "Wh"),
    find("grid_energy_export", "Wh"),
  ];
  const total = find("ac_energy_total", "Wh");
  const turned = meter && { ...meter, factor: -meter.factor };
  switch (role) {
    case "grid":
      return { role, group: undefined, power: meter ?? power, counter: taken ?? total, counterBack: given };
    case "load":
      return {
        role,
        group: loadGroup(category),
        power: power ?? meter,
        counter: total ?? taken,
        counterBack: undefined,
      };
    case "battery":
      return {
        role,
        group: undefined,
        power: find("battery_power", "W") ?? turned ?? power,
        counter: undefined,
        counterBack: undefined,
      };
    case "production": {
      const panels = find("pv_power", "W");
      const counter = find("pv_energy_total", "Wh") ?? total ?? given;
      const group = panels !== undefined || category === "solar-generators" ? "solar" : "production";
      return { role, group, power: panels ?? power ?? turned, counter, counterBack: undefined };
    }
  }
}

function loadGroup(category: Category | undefined): EnergyGroup {
  return (category && LOAD_GROUPS.get(category)) ?? "load";
}

function guessedSources(blueprint: Blueprint, find: Find): readonly EnergySource[] {
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
    sources.push({ role: "load", group: loadGroup(category), power: acPower, counter: total, counterBack: undefined });
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

interface SourceOfDevice {
  readonly role: EnergyRole;
  readonly category: Category | undefined;
  /** A person says that it has this role. */
  readonly isChosen: boolean;
}

/**
 * Of several devices that report the grid or a battery, the ones that are made for it count: a hybrid inverter also
 * reads the meter, and both would count twice. Where people say which meters are the grid's, only those are.
 */
export function withoutDoubles<Source extends SourceOfDevice>(sources: readonly Source[]): readonly Source[] {
  const own: Readonly<Partial<Record<EnergyRole, Category>>> = { grid: "power-meters", battery: "battery-systems" };
  return sources.filter(({ role, category, isChosen }) => {
    const made = own[role];
    if (isChosen || made === undefined) return true;
    const others = sources.filter((other) => other.role === role);
    if (role === "grid" && others.some((other) => other.isChosen)) return false;
    return category === made || !others.some((other) => other.category === made);
  });
}
