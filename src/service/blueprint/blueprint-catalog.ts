// Blueprints by id, cached: a stored blueprint never changes, so a copy in memory stays valid. Only its compiled manifest
// depends on the profiles, which may change.

import { refuse } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { OWN_WORK } from "#core/share/requester.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";
import { withBuiltIns } from "#service/blueprint/with-built-ins.ts";
import type { Needs } from "#service/ports.ts";

/** Bytes of blueprints that are kept in memory. Others are read again when they are needed. */
const MAX_KNOWN_BYTES = 64 * 1024 * 1024;

interface KnownBlueprint {
  readonly blueprint: Blueprint;
  /** As the author wrote it. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly read: Promise<ReadBlueprint>;
  /** Undefined until it is read. */
  found: ReadBlueprint | undefined;
  /** Of the profiles, when it was read. */
  readonly revision: number;
}

type ReadBlueprint = NonNullable<Inspection["found"]>;

export interface BlueprintCatalog {
  /** Refuses with `not_found`. */
  get(blueprintId: string): Promise<KnownBlueprint>;
  /** The same without any wait, if it happens to be in memory. */
  known(blueprintId: string): KnownBlueprint | undefined;
  /** The manifest with everything written out, for programs, by the profiles of now. Refuses with `not_found`. */
  compiled(blueprintId: string): Promise<ReadBlueprint["compiled"]>;
  /** Ids of the blueprints that implement all these profiles, directly or through other profiles. */
  withProfiles(profiles: readonly string[]): Promise<readonly string[]>;
}

/** Undefined for a device that has none. */
export async function deviceBlueprint(
  needs: { readonly catalog: BlueprintCatalog },
  device: Pick<Device, "blueprintId">,
): Promise<Blueprint | undefined> {
  return device.blueprintId === undefined ? undefined : (await needs.catalog.get(device.blueprintId)).blueprint;
}

type CatalogNeeds = Pick<Needs, "blueprints" | "inspectPackage" | "profiles">;

export function createBlueprintCatalog(
  needs: CatalogNeeds,
  maxBytes = MAX_KNOWN_BYTES,
): BlueprintCatalog & { readonly memory: BufferUse } {
  const known = new Map<string, Entry>();
  /** The cached blueprints, in the order in which they were read. */
  const sizes = new Map<string, number>();
  let used = 0;

  function count(blueprintId: string, { blueprint, manifest, compiled }: ReadBlueprint): void {
    used -= sizes.get(blueprintId) ?? 0;
    sizes.delete(blueprintId);
    const bytes = [blueprint, manifest, compiled].reduce((sum: number, part) => sum + approximateBytes(part), 0);
    sizes.set(blueprintId, bytes);
    used += bytes;
    for (const [oldest, size] of sizes) {
      if (used <= maxBytes || oldest === blueprintId) return;
      known.delete(oldest);
      sizes.delete(oldest);
      used -= size;
    }
  }

  function load(blueprintId: string): Entry {
    const entry: Entry = { read: read(needs, blueprintId), found: undefined, revision: needs.profiles.revision() };
    known.set(blueprintId, entry);
    const isKnown = () => known.get(blueprintId) === entry;
    entry.read.then(
      (found) => {
        entry.found = found;
        if (isKnown()) count(blueprintId, found);
      },
      () => isKnown() && known.delete(blueprintId),
    );
    return entry;
  }

  return {
    memory: { name: "blueprints", limit: maxBytes, used: () => used },
    known: (blueprintId) => known.get(blueprintId)?.found,
    get: (blueprintId) => (known.get(blueprintId) ?? load(blueprintId)).read,
    async compiled(blueprintId) {
      const entry = known.get(blueprintId);
      const isCurrent = entry?.revision === needs.profiles.revision();
      return (await (isCurrent ? entry : load(blueprintId)).read).compiled;
    },
    async withProfiles(profiles) {
      const implementing = await needs.blueprints.implementing();
      return implementing
        .filter((blueprint) => {
          const resolved = new Set(needs.profiles.resolve(blueprint.implements));
          return profiles.every((profile) => resolved.has(profile));
        })
        .map((blueprint) => blueprint.id);
    },
  };
}

async function read(needs: CatalogNeeds, blueprintId: string): Promise<ReadBlueprint> {
  const content = await withBuiltIns(needs.blueprints).content(blueprintId);
  if (content === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId.slice(0, 80)}`);
  const { found, issues } = await needs.inspectPackage(content, OWN_WORK);
  // It was valid when it was uploaded: only a Busbar with stricter rules can find errors now.
  if (found === undefined) {
    throw refuse("invalid_blueprint", `blueprint ${blueprintId} is not valid in this version: ${issues[0]?.message}`);
  }
  return found;
}
