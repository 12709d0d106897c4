// Blueprints by id, cached: a stored blueprint never changes, so a copy in memory stays valid.

import { refuse } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { OWN_WORK } from "#core/share/requester.ts";
import type { Needs } from "#service/ports.ts";

/** Bytes of blueprints that are kept in memory. Others are read again when they are needed. */
const MAX_KNOWN_BYTES = 64 * 1024 * 1024;

interface KnownBlueprint {
  readonly blueprint: Blueprint;
  /** As the author wrote it. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** With everything written out, for programs. */
  readonly compiled: Readonly<Record<string, unknown>>;
}

export interface BlueprintCatalog {
  /** Refuses with `not_found`. */
  get(blueprintId: string): Promise<KnownBlueprint>;
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
  const known = new Map<string, Promise<KnownBlueprint>>();
  /** The cached blueprints, in the order in which they were read. */
  const sizes = new Map<string, number>();
  let used = 0;

  function count(blueprintId: string, { blueprint, manifest, compiled }: KnownBlueprint): void {
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

  return {
    memory: { name: "blueprints", limit: maxBytes, used: () => used },
    get(blueprintId) {
      let entry = known.get(blueprintId);
      if (entry === undefined) {
        entry = read(needs, blueprintId);
        known.set(blueprintId, entry);
        entry.then(
          (read) => count(blueprintId, read),
          () => known.delete(blueprintId),
        );
      }
      return entry;
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

async function read(needs: CatalogNeeds, blueprintId: string): Promise<KnownBlueprint> {
  const content = await needs.blueprints.content(blueprintId);
  if (content === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId.slice(0, 80)}`);
  const { found, issues } = await needs.inspectPackage(content, OWN_WORK);
  // It was valid when it was uploaded: only a Busbar with stricter rules can find errors now.
  if (found === undefined) {
    throw refuse("invalid_blueprint", `blueprint ${blueprintId} is not valid in this version: ${issues[0]?.message}`);
  }
  return found;
}
