import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Control } from "#core/control/control.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import type { ProfileCatalog } from "#service/blueprint/profile-catalog.ts";

export type KnownControls = (blueprint: Blueprint) => ReadonlyMap<string, Control>;

/** The controls of blueprints, by the profiles of now. A blueprint in memory never changes, so they are found once. */
export function createKnownControls(
  profiles: Pick<ProfileCatalog, "revision" | "get" | "resolve" | "ids">,
): KnownControls {
  let known = new WeakMap<Blueprint, ReadonlyMap<string, Control>>();
  let revision = profiles.revision();
  return (blueprint) => {
    if (profiles.revision() !== revision) {
      revision = profiles.revision();
      known = new WeakMap();
    }
    const found = known.get(blueprint) ?? resolveControls(blueprint, profiles);
    known.set(blueprint, found);
    return found;
  };
}
