import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { CATEGORIES } from "#core/blueprint/vocabulary.ts";
import { blueprintSchema, diagnosticSchema, renderBlueprint } from "#service/blueprint/blueprint-wire.ts";
import type { Catalogue } from "#service/blueprint/catalogue.ts";
import {
  catalogueCategorySchema,
  catalogueEntrySchema,
  renderCatalogueEntry,
} from "#service/blueprint/catalogue-wire.ts";
import { zipAnswer } from "#service/blueprint/zip-answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { anyText, choice, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { strict } from "#service/operation/wire.ts";

const tag = "Blueprints";
/** More words would not narrow the search. */
const MAX_WORDS = 10;

export function catalogueOperations({ catalogue }: { readonly catalogue: Catalogue }): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/catalogue",
      name: "listCatalogue",
      summary: "Search the catalogue of blueprints",
      description:
        "Blueprints that come with Busbar, those of the operator's folder (the setting blueprints.catalogue), and uploaded ones, of which the newest version is shown. Without words ordered by name.",
      tag,
      level: "readonly",
      query: {
        ...paging,
        q: anyText("Words that are all in the name, description, category, author or profiles."),
        category: choice("Only this category.", CATEGORIES),
      },
      answer: strict("CataloguePage", {
        entries: Type.Array(catalogueEntrySchema),
        total_count: Type.Integer({ minimum: 0, description: "How many match, on all pages." }),
        categories: Type.Array(catalogueCategorySchema, { description: "What else the words would find." }),
      }),
      run: async ({ query }) => {
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
    operation({
      method: "GET",
      path: "/v3/catalogue/:entry_id/zip",
      name: "downloadCatalogueEntry",
      summary: "Download a blueprint of the catalogue",
      description: "Its package as it is now, uploaded or not, to look at it or to change it.",
      tag,
      level: "readonly",
      answer: { contentType: "application/zip", description: "The package." },
      run: async ({ params }) => zipAnswer(await catalogue.content(params.entry_id), params.entry_id),
    }),
    operation({
      method: "POST",
      path: "/v3/catalogue/:entry_id/upload",
      name: "uploadCatalogueEntry",
      summary: "Take a blueprint from the catalogue",
      description:
        "Uploads its package, as it is now, so that devices can use it. One that is uploaded already stays as it is.",
      tag,
      level: "owner",
      answer: Type.Object(
        { blueprint: blueprintSchema, diagnostics: Type.Array(diagnosticSchema, { description: "Warnings." }) },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const { blueprint, issues } = await catalogue.upload(call, call.params.entry_id);
        return { blueprint: renderBlueprint(blueprint, call.caller), diagnostics: issues.map(renderDiagnostic) };
      },
    }),
  ];
}
