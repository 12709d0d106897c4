// Blueprints as they are listed: versions under their name, and the devices that use them. Pure.
import type { Blueprint, Device } from "#client/resources.ts";

type Version = { readonly blueprint: Blueprint; readonly devices: readonly Device[] };

export type NamedBlueprint = {
  readonly name: string;
  /** Newest first; there is at least one. */
  readonly versions: readonly [Version, ...Version[]];
  readonly deviceCount: number;
};

export type BlueprintFilter = {
  readonly text: string | undefined;
  /** `yes` or `no`; anything else is all. */
  readonly used: string | undefined;
};

/** By name. A blueprint without one stands under its id. */
export function namedBlueprints(
  blueprints: readonly Blueprint[],
  devices: readonly Device[],
): readonly NamedBlueprint[] {
  const users = Map.groupBy(devices, ({ blueprint_id }) => blueprint_id);
  const byName = Map.groupBy(blueprints, nameOf);
  return [...byName]
    .flatMap(([name, of]) => {
      const [newest, ...older] = of
        .map((blueprint): Version => ({ blueprint, devices: users.get(blueprint.id) ?? [] }))
        .sort((one, other) => (other.blueprint.version ?? 0) - (one.blueprint.version ?? 0));
      if (newest === undefined) return [];
      const versions = [newest, ...older] as const;
      return [{ name, versions, deviceCount: versions.reduce((sum, version) => sum + version.devices.length, 0) }];
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

export function filterBlueprints(
  named: readonly NamedBlueprint[],
  { text = "", used }: BlueprintFilter,
): readonly NamedBlueprint[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return named.filter(({ name, versions, deviceCount }) => {
    if ((used === "yes" && deviceCount === 0) || (used === "no" && deviceCount > 0)) return false;
    const all = [name, ...versions.flatMap(({ blueprint }) => [blueprint.id, ...(blueprint.implements ?? [])])];
    const found = all.join("\n").toLowerCase();
    return words.every((word) => found.includes(word));
  });
}

/** The version that a comparison begins with: the one before, otherwise the one after. */
export function otherVersion(of: NamedBlueprint, id: string): Blueprint | undefined {
  const at = of.versions.findIndex(({ blueprint }) => blueprint.id === id);
  return (of.versions[at + 1] ?? of.versions[at - 1])?.blueprint;
}

export function nameOf({ display_name, id }: Blueprint): string {
  return display_name ?? id;
}
