import { createHash } from "node:crypto";
import { BUILT_IN_BLUEPRINTS, type BuiltInBlueprint } from "#core/blueprint/built-in.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import { instant } from "#core/time/instant.ts";
import type { BlueprintStore } from "#service/ports/blueprint-store.ts";

interface Known {
  readonly blueprint: StoredBlueprint;
  readonly content: Uint8Array;
}

type ReadBlueprints = Pick<BlueprintStore, "find" | "content" | "list">;

/**
 * The stored blueprints and those that are built in, for whoever reads them. A gateway that reports stores its own one like an
 * upload, because its devices need a row to refer to; then that one is listed.
 */
export function withBuiltIns(stored: BlueprintStore): ReadBlueprints {
  const known = BUILT_IN_BLUEPRINTS.map(knownOf);
  const byId = new Map(known.map((one) => [one.blueprint.id, one]));
  async function notStored(): Promise<readonly StoredBlueprint[]> {
    const found = await Promise.all(known.map(({ blueprint }) => stored.findByDigest(blueprint.digest)));
    return known.flatMap(({ blueprint }, index) => (found[index] === undefined ? [blueprint] : []));
  }
  return {
    find: async (id) => (await stored.find(id)) ?? byId.get(id)?.blueprint,
    content: async (id) => (await stored.content(id)) ?? byId.get(id)?.content,
    async list(page) {
      const [given, others] = await Promise.all([stored.list(page), notStored()]);
      const from = Math.max(0, page.offset - given.total);
      const more = others.slice(from, from + Math.max(0, page.limit - given.items.length));
      return { ...given, items: [...given.items, ...more], total: given.total + others.length };
    },
  };
}

const DIGESTS = new Set(BUILT_IN_BLUEPRINTS.map((one) => knownOf(one).blueprint.digest));

/** Also of one that is stored. */
export function isBuiltInBlueprint({ digest }: Pick<StoredBlueprint, "digest">): boolean {
  return DIGESTS.has(digest);
}

function knownOf({ id, displayName, manifest }: BuiltInBlueprint): Known {
  const content = new TextEncoder().encode(manifest);
  const digest = createHash("sha256").update(content).digest("hex");
  const createdAt = instant(0);
  const blueprint = { id, displayName, version: 1, digest, size: content.length, implements: [], createdAt };
  return { blueprint, content };
}
