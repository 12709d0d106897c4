// The catalogue: blueprints that can be used here, whether they are uploaded or not. A card is made once for each package
// and kept until the package changes.
import { createHash } from "node:crypto";
import { refuse } from "#core/app-error.ts";
import {
  byRelevance,
  type CatalogueCard,
  type CatalogueEntry,
  catalogueCard,
  matchesWords,
} from "#core/blueprint/catalogue-entry.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { OWN_WORK } from "#core/share/requester.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import type { PackageRepository } from "#service/ports/package-repository.ts";
import type { PageRequest } from "#service/ports/page.ts";
import type { Call } from "#service/ports.ts";

/** Uploaded blueprints that are looked at, the newest ones. */
const MAX_UPLOADED = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Folders are looked at again after this long. */
const FRESH_MS = 5_000;
const UPLOADED = "upload.";

export interface CatalogueNeeds extends UploadNeeds {
  readonly catalog: BlueprintCatalog;
  readonly packages: PackageRepository;
}

interface CatalogueFilter {
  /** Words in small letters; each has to be found. */
  readonly words: readonly string[];
  readonly category: Category | undefined;
}

interface CataloguePage {
  readonly items: readonly CatalogueEntry[];
  readonly total: number;
  /** How many match the words, by category; without one last. */
  readonly categories: ReadonlyMap<Category | undefined, number>;
}

export interface Catalogue {
  readonly memory: BufferUse;
  list(filter: CatalogueFilter, page: PageRequest): Promise<CataloguePage>;
  /** The package of an entry, as an upload takes it. */
  content(entryId: string): Promise<Uint8Array>;
  /** Uploads the package of an entry. One that is uploaded already stays as it is. */
  upload(call: Call, entryId: string): ReturnType<typeof uploadBlueprint>;
}

/** What is known of a package in the repository; without a card it is not valid. */
interface Known {
  readonly digest: string;
  readonly card: CatalogueCard | undefined;
}

export function createCatalogue(needs: CatalogueNeeds): Catalogue {
  /** By package and what it was made from, the earliest first. */
  const known = new Map<string, Known>();
  let used = 0;
  let latest: { readonly at: number; readonly entries: Promise<readonly CatalogueEntry[]> } | undefined;

  function keep(key: string, value: Known): Known {
    known.set(key, value);
    used += approximateBytes(value);
    for (const [oldest, dropped] of known) {
      if (used <= MAX_BYTES || oldest === key) break;
      known.delete(oldest);
      used -= approximateBytes(dropped);
    }
    return value;
  }

  async function inRepository(id: string, stamp: string): Promise<Known | undefined> {
    const key = `${id}\n${stamp}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const content = await needs.packages.read(id);
    if (content === undefined) return undefined;
    const { found: read } = await needs.inspectPackage(content, OWN_WORK);
    const digest = createHash("sha256").update(content).digest("hex");
    return keep(key, { digest, card: read && catalogueCard(read.blueprint) });
  }

  async function uploaded(blueprint: StoredBlueprint): Promise<CatalogueCard | undefined> {
    const found = known.get(blueprint.id);
    if (found !== undefined) return found.card;
    const { digest } = blueprint;
    try {
      const { blueprint: read } = await needs.catalog.get(blueprint.id);
      return keep(blueprint.id, { digest, card: catalogueCard(read) }).card;
    } catch {
      // Not valid in this version.
      return keep(blueprint.id, { digest, card: undefined }).card;
    }
  }

  async function collect(): Promise<readonly CatalogueEntry[]> {
    const { items: stored } = await needs.blueprints.list({ limit: MAX_UPLOADED, offset: 0 });
    const byDigest = new Map(stored.map((blueprint) => [blueprint.digest, blueprint.id]));
    const entries: CatalogueEntry[] = [];
    const seen = new Set<string>();
    for (const { id, source, stamp } of await needs.packages.list()) {
      const found = await inRepository(id, stamp);
      if (found?.card === undefined || seen.has(found.digest)) continue;
      seen.add(found.digest);
      entries.push({ ...found.card, id, source, blueprintId: byDigest.get(found.digest) });
    }
    // Newest first: of several versions with one name, the newest is shown.
    const names = new Set(entries.filter(({ blueprintId }) => blueprintId !== undefined).map((one) => one.displayName));
    for (const blueprint of stored) {
      if (names.has(blueprint.displayName) || seen.has(blueprint.digest)) continue;
      names.add(blueprint.displayName);
      const card = await uploaded(blueprint);
      if (card === undefined) continue;
      entries.push({ ...card, id: `${UPLOADED}${blueprint.id}`, source: "upload", blueprintId: blueprint.id });
    }
    return entries;
  }

  /** Callers at the same time share one look. */
  function entries(): Promise<readonly CatalogueEntry[]> {
    const now = needs.now();
    if (latest === undefined || Math.abs(now - latest.at) >= FRESH_MS) {
      const looking = { at: now, entries: collect() };
      latest = looking;
      looking.entries.catch(() => {
        if (latest === looking) latest = undefined;
      });
    }
    return latest.entries;
  }

  async function content(entryId: string): Promise<Uint8Array> {
    const found = entryId.startsWith(UPLOADED)
      ? await needs.blueprints.content(entryId.slice(UPLOADED.length))
      : await needs.packages.read(entryId);
    if (found === undefined) throw missing(entryId);
    return found;
  }

  return {
    memory: { name: "catalogue", limit: MAX_BYTES, used: () => used },
    async list({ words, category }, { limit, offset }) {
      const matching = (await entries()).filter((entry) => matchesWords(entry, words));
      const categories = new Map<Category | undefined, number>();
      for (const one of matching) categories.set(one.category, (categories.get(one.category) ?? 0) + 1);
      const chosen = matching.filter((entry) => category === undefined || entry.category === category);
      const items = chosen.toSorted(byRelevance(words)).slice(offset, offset + limit);
      return { items, total: chosen.length, categories };
    },
    content,
    async upload(call, entryId) {
      if (entryId.startsWith(UPLOADED)) {
        const blueprint = await needs.blueprints.find(entryId.slice(UPLOADED.length));
        if (blueprint === undefined) throw missing(entryId);
        return { blueprint, issues: [] };
      }
      const made = await uploadBlueprint(needs, call, await content(entryId));
      latest = undefined;
      return made;
    },
  };
}

function missing(entryId: string): Error {
  return refuse("not_found", `the catalogue has no entry ${entryId.slice(0, 200)}`);
}
