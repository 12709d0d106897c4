// The catalogue as it is shown: by category, with filters. Pure.
import type { CatalogueEntry } from "#client/resources.ts";
import { CATEGORIES } from "#core/blueprint/vocabulary.ts";

export type CatalogueFilter = {
  readonly source: string | undefined;
  readonly runtime: string | undefined;
  readonly profile: string | undefined;
};

export type CatalogueGroup = { readonly category: string | undefined; readonly entries: readonly CatalogueEntry[] };

/** What the server's search does not know. */
export function filterEntries(
  entries: readonly CatalogueEntry[],
  { source, runtime, profile }: CatalogueFilter,
): readonly CatalogueEntry[] {
  return entries.filter(
    (entry) =>
      (source === undefined || entry.source === source) &&
      (runtime === undefined || entry.runtime === runtime) &&
      (profile === undefined || entry.offers.profiles.includes(profile)),
  );
}

/** In the order of the manifest language, without a category last. Within a group the order of the search stays. */
export function byCategory(entries: readonly CatalogueEntry[]): readonly CatalogueGroup[] {
  const found = Map.groupBy(entries, ({ category }) => category ?? undefined);
  const order: readonly (string | undefined)[] = CATEGORIES;
  const rank = (category: string | undefined) => {
    const at = order.indexOf(category);
    return at >= 0 ? at : category === undefined ? order.length + 1 : order.length;
  };
  return [...found]
    .map(([category, of]) => ({ category, entries: of }))
    .sort((one, other) => rank(one.category) - rank(other.category));
}

/** Profiles that some entry implements, each once. */
export function profilesOf(entries: readonly CatalogueEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ offers }) => offers.profiles))].sort();
}

/** An address that an author wrote may be anything; only those of the web are links. */
export function webAddress(text: string | null): string | undefined {
  if (text === null || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}

export function mailAddress(text: string | null): string | undefined {
  return text !== null && /^[\w.+-]+@[\w.-]+$/.test(text) ? `mailto:${text}` : undefined;
}
