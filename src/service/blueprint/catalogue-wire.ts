import { CATALOGUE_SOURCES, type CatalogueEntry } from "#core/blueprint/catalogue-entry.ts";
import { CATEGORIES } from "#core/blueprint/vocabulary.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict } from "#service/operation/wire.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });
const text = nullable(Type.String());

export const catalogueEntrySchema = described("CatalogueEntry", "A blueprint that the catalogue offers.", {
  id: id("Entry identifier."),
  source: oneOf(CATALOGUE_SOURCES, {
    description: "examples: comes with Busbar; folder: from the operator's folder; upload: was uploaded.",
  }),
  blueprint_id: nullable(Type.String({ description: "The uploaded blueprint; null if it is not uploaded yet." })),
  display_name: Type.String(),
  description: Type.String(),
  category: nullable(oneOf(CATEGORIES)),
  icon: text,
  author: text,
  contributors: Type.Array(Type.String()),
  support: strict("CatalogueSupport", { url: text, email: text }),
  license: text,
  runtime: oneOf(["lua", "embedded"], {
    description: "lua: Busbar talks to the device; embedded: the device connects.",
  }),
  requires: Type.Array(Type.String(), {
    description: "What the author says that it needs, and the rocks of its scripts.",
  }),
  offers: strict("CatalogueOffers", {
    profiles: Type.Array(Type.String(), { description: "Profiles that it implements." }),
    properties: count("How many properties."),
    telemetry: count("How many telemetry attributes."),
    commands: count("How many commands."),
    alerts: count("How many alerts."),
    configuration: count("How many configuration buckets."),
  }),
});

export const catalogueCategorySchema = strict("CatalogueCategory", {
  category: nullable(oneOf(CATEGORIES)),
  count: count("How many entries match the words."),
});

export function renderCatalogueEntry(entry: CatalogueEntry): Static<typeof catalogueEntrySchema> {
  return {
    id: entry.id,
    source: entry.source,
    blueprint_id: entry.blueprintId ?? null,
    display_name: entry.displayName,
    description: entry.description,
    category: entry.category ?? null,
    icon: entry.icon ?? null,
    author: entry.author ?? null,
    contributors: [...entry.contributors],
    support: { url: entry.support.url ?? null, email: entry.support.email ?? null },
    license: entry.license ?? null,
    runtime: entry.runtime,
    requires: [...entry.requires],
    offers: { ...entry.offers, profiles: [...entry.offers.profiles] },
  };
}
