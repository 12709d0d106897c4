import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { CATEGORIES } from "#core/blueprint/vocabulary.ts";
import { blueprintSchema, diagnosticSchema, renderBlueprint } from "#http/blueprint/blueprint-wire.ts";
import { catalogueCategorySchema, catalogueEntrySchema, renderCatalogueEntry } from "#http/blueprint/catalogue-wire.ts";
import { zipAnswer } from "#http/blueprint/zip-answer.ts";
import { anyText, choice, pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import type { Catalogue } from "#service/blueprint/catalogue.ts";

const tag = "Blueprints";
/** More words would not narrow the search. */
const MAX_WORDS = 10;

export function catalogueRoutes({ catalogue }: { readonly catalogue: Catalogue }): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/catalogue",
      operation: "listCatalogue",
      summary: "Search the catalogue of blueprints",
      description:
        "Blueprints that come with Busbar, those of the operator's folder (the setting blueprints.catalogue), and uploaded ones, of which the newest version is shown. Without words ordered by name.",
      tag,
      access: "readonly",
      query: {
        ...paging,
        q: anyText("Words that are all in the name, description, category, author or profiles."),
        category: choice("Only this category.", CATEGORIES),
      },
      answer: Type.Object(
        {
          entries: Type.Array(catalogueEntrySchema),
          total_count: Type.Integer({ minimum: 0, description: "How many match, on all pages." }),
          categories: Type.Array(catalogueCategorySchema, { description: "What else the words would find." }),
        },
        { additionalProperties: false },
      ),
      handle: async ({ query }) => {
        const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
        const page = await catalogue.list({ words, category: query.category }, pageOf(query));
        const { items, total, categories } = page;
        return {
          entries: items.map(renderCatalogueEntry),
          total_count: total,
          categories: [...categories].map(([category = null, count]) => ({ category, count })),
        };
      },
    }),
    route({
      method: "GET",
      path: "/v3/catalogue/:entry_id/zip",
      operation: "downloadCatalogueEntry",
      summary: "Download a blueprint of the catalogue",
      description: "Its package as it is now, uploaded or not, to look at it or to change it.",
      tag,
      access: "readonly",
      answer: { contentType: "application/zip", description: "The package." },
      handle: async ({ params }) => zipAnswer(await catalogue.content(params.entry_id), params.entry_id),
    }),
    route({
      method: "POST",
      path: "/v3/catalogue/:entry_id/upload",
      operation: "uploadCatalogueEntry",
      summary: "Take a blueprint from the catalogue",
      description:
        "Uploads its package, as it is now, so that devices can use it. One that is uploaded already stays as it is.",
      tag,
      access: "owner",
      answer: Type.Object(
        { blueprint: blueprintSchema, diagnostics: Type.Array(diagnosticSchema, { description: "Warnings." }) },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const { blueprint, issues } = await catalogue.upload(call, call.params.entry_id);
        return { blueprint: renderBlueprint(blueprint), diagnostics: issues.map(renderDiagnostic) };
      },
    }),
  ];
}
