// Which values of a device are power that flows on the site. By profile first, by category otherwise.
import type { Device as DeviceResource } from "#client/resources.ts";
import { convert } from "#manifest/units.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { Attribute, Manifest } from "#web/data/manifest.ts";

type EnergyRole = NonNullable<DeviceResource["energy_role"]>;

export type Kind = "solar" | "wind" | "generator" | "grid" | "battery" | "hydrogen" | "vehicle" | "load";

/**
 * A power of a device. Positive is production for solar, wind and generators; taken from the grid; discharging
 * for batteries; consumption for everything else.
 */
export type PowerReading = {
  readonly deviceId: string;
  readonly kind: Kind;
  /** One attribute, or voltage and current whose product is the power. */
  readonly attributes: readonly [Attribute] | readonly [Attribute, Attribute];
  /** The device measures the other direction. */
  readonly isTurned?: true;
};

type Device = {
  readonly id: string;
  readonly manifest: Manifest;
  /** `energy_role`: what a person says that the device is to the site. `auto`: it is guessed. */
  readonly resource?: { readonly energy_role?: EnergyRole | undefined };
};

/** Kinds that a category means when no profile says more. */
const KIND_OF_CATEGORY: ReadonlyMap<string, Kind> = new Map([
  ["solar-generators", "solar"],
  ["wind-generators", "wind"],
  ["fuel-generators", "generator"],
  ["fuel-cells", "generator"],
  ["electric-vehicles", "vehicle"],
  ["electrolysers", "hydrogen"],
  ["loads", "load"],
  ["hvac", "load"],
]);

export function powerReadings({ id: deviceId, manifest, resource }: Device): readonly PowerReading[] {
  const role = resource?.energy_role ?? "auto";
  if (role === "none") return [];
  if (role !== "auto") return chosenReading({ id: deviceId, manifest }, role);
  const readings: PowerReading[] = [];
  const add = (kind: Kind, attribute: Attribute | undefined) => {
    if (attribute !== undefined && isPower(attribute)) readings.push({ deviceId, kind, attributes: [attribute] });
  };
  const has = (profile: string) => manifest.profiles.includes(profile);
  const isHybrid = has("energy.inverter.hybrid");
  add("grid", exactly(manifest, "grid_power"));
  add("battery", exactly(manifest, "battery_power"));
  if (isHybrid) add("solar", exactly(manifest, "pv_power"));
  const kind = isHybrid ? undefined : kindOf(manifest, has);
  if (kind === undefined) return readings;
  const own = findAttribute(
    manifest,
    "ac_power",
    "active_power",
    "power",
    ...(kind === "solar" ? ["pv_power"] : []),
    "dc_power",
  );
  if (own !== undefined && isPower(own)) add(kind, own);
  else if (kind === "hydrogen") {
    const [voltage, current] = [exactly(manifest, "stack_voltage"), exactly(manifest, "stack_current")];
    if (voltage !== undefined && current !== undefined)
      readings.push({ deviceId, kind, attributes: [voltage, current] });
  }
  return readings;
}

/**
 * What a person says that a device is. A meter counts what flows towards the loads; before a producer or a battery that is the
 * other direction. The same rules as in `core/energy/energy-sources.ts`.
 */
function chosenReading(
  { id: deviceId, manifest }: Pick<Device, "id" | "manifest">,
  role: Exclude<EnergyRole, "auto" | "none">,
): readonly PowerReading[] {
  const find = (...names: readonly string[]) =>
    names.map((name) => exactly(manifest, name)).find((one) => one && isPower(one));
  const [own, meter] = [find("ac_power", "active_power", "power"), find("grid_power")];
  const made = kindOf(manifest, (profile) => manifest.profiles.includes(profile));
  const one = (kind: Kind, attribute: Attribute | undefined): readonly PowerReading[] =>
    attribute === undefined
      ? []
      : [
          {
            deviceId,
            kind,
            attributes: [attribute],
            ...(attribute === meter && (kind === "battery" || PRODUCERS.includes(kind)) && { isTurned: true }),
          },
        ];
  switch (role) {
    case "grid":
      return one("grid", meter ?? own);
    case "load":
      return one(made === "vehicle" || made === "hydrogen" ? made : "load", own ?? meter);
    case "battery":
      return one("battery", find("battery_power") ?? meter ?? own);
    case "production": {
      const panels = find("pv_power");
      const kind = made !== undefined && PRODUCERS.includes(made) ? made : panels === undefined ? "generator" : "solar";
      return one(kind, panels ?? own ?? meter);
    }
  }
}

const PRODUCERS: readonly Kind[] = ["solar", "wind", "generator"];

function kindOf(manifest: Manifest, has: (profile: string) => boolean): Kind | undefined {
  if (has("energy.inverter.pv")) return "solar";
  if (has("energy.ev_charger")) return "vehicle";
  if (has("energy.electrolyser")) return "hydrogen";
  if (has("energy.battery") || has("energy.grid_meter")) return undefined;
  return KIND_OF_CATEGORY.get(manifest.category ?? "");
}

function exactly(manifest: Manifest, field: string): Attribute | undefined {
  return findAttribute(manifest, field);
}

function isPower({ unit }: Attribute): boolean {
  return unit !== undefined && convert(1, unit, "W") !== undefined;
}

/** Watts; undefined when a value is missing or is no number. */
export function wattsOf(
  reading: Pick<PowerReading, "attributes" | "isTurned">,
  valueFor: (attribute: string) => unknown,
): number | undefined {
  const [first, second] = reading.attributes;
  const value = valueFor(first.id);
  if (typeof value !== "number") return undefined;
  if (second === undefined) return convert(reading.isTurned ? -value : value, first.unit ?? "W", "W");
  const other = valueFor(second.id);
  if (typeof other !== "number") return undefined;
  const [volts, amperes] = [convert(value, first.unit ?? "V", "V"), convert(other, second.unit ?? "A", "A")];
  return volts === undefined || amperes === undefined ? undefined : volts * amperes;
}
