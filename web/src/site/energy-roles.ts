// What the devices of a site are to its energy: what was found, what people said, and what should be asked. Pure.
import type { Device } from "#client/resources.ts";
import { convert } from "#manifest/units.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { Manifest } from "#web/data/manifest.ts";
import { type Kind, powerReadings } from "./power-readings.ts";

export type EnergyRole = NonNullable<Device["energy_role"]>;
type GuessedRole = Exclude<EnergyRole, "auto" | "none">;

type Described = {
  readonly id: string;
  readonly manifest: Manifest;
  readonly resource: Pick<Device, "name" | "energy_role">;
};

export type RoleRow = {
  readonly id: string;
  readonly name: string;
  readonly role: EnergyRole;
  /** What it would be without a word of a person. A hybrid inverter is several things. */
  readonly guessed: readonly GuessedRole[];
  /** Why a person should look at it. */
  readonly question: "which grid" | "what is it" | undefined;
};

const ROLE_OF_KIND: Readonly<Record<Kind, GuessedRole>> = {
  grid: "grid",
  battery: "battery",
  solar: "production",
  wind: "production",
  generator: "production",
  hydrogen: "load",
  vehicle: "load",
  load: "load",
};
/** Values that may be the power of something. */
const POWERS = ["grid_power", "ac_power", "active_power", "power", "pv_power", "battery_power", "dc_power"];

/** The devices that measure power, and which of them nobody can be sure of. */
export function roleRows(devices: readonly Described[]): readonly RoleRow[] {
  const rows = devices.filter(measuresPower).map(({ id, manifest, resource }) => ({
    id,
    name: resource.name,
    role: resource.energy_role ?? "auto",
    guessed: [...new Set(powerReadings({ id, manifest }).map(({ kind }) => ROLE_OF_KIND[kind]))],
  }));
  const isGridChosen = rows.some(({ role }) => role === "grid");
  const meters = rows.filter(({ role, guessed }) => role === "auto" && guessed.includes("grid"));
  return rows.map((row): RoleRow => {
    if (row.role !== "auto") return { ...row, question: undefined };
    if (row.guessed.length === 0) return { ...row, question: "what is it" };
    return {
      ...row,
      question: !isGridChosen && meters.length > 1 && row.guessed.includes("grid") ? "which grid" : undefined,
    };
  });
}

/** Whether the picture of the site can be trusted without another word. */
export function isPictureComplete(rows: readonly RoleRow[]): boolean {
  return rows.every(({ question }) => question === undefined);
}

function measuresPower({ manifest }: Pick<Described, "manifest">): boolean {
  return POWERS.some((name) => {
    const unit = findAttribute(manifest, name)?.unit;
    return unit !== undefined && convert(1, unit, "W") !== undefined;
  });
}
