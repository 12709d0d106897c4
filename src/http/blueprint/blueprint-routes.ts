import { refuse } from "#core/app-error.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { renderJsonSchema } from "#core/blueprint/schema.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import { requesterOf } from "#core/share/requester.ts";
import {
  blueprintSchema,
  diagnosticSchema,
  renderBlueprint,
  renderValidation,
  validationSchema,
} from "#http/blueprint/blueprint-wire.ts";
import { packageBytes } from "#http/blueprint/package-bytes.ts";
import { zipAnswer } from "#http/blueprint/zip-answer.ts";
import { choice, pageOf, paging } from "#http/query.ts";
import { bytesRoute, type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { listAnswer, renderPage } from "#http/wire.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { findNamedBlueprint } from "#service/blueprint/find-named-blueprint.ts";
import { inspectUpload } from "#service/blueprint/inspect-upload.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { withBuiltIns } from "#service/blueprint/with-built-ins.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Blueprints";
const PACKAGE_TYPES = ["application/zip", "application/yaml", "application/json", "multipart/form-data"];

interface BlueprintRouteNeeds extends UploadNeeds, Pick<Needs, "compilePackage"> {
  readonly catalog: BlueprintCatalog;
}

export function blueprintRoutes(needs: BlueprintRouteNeeds): readonly Route[] {
  const blueprints = withBuiltIns(needs.blueprints);
  const find = async (blueprintId: string): Promise<StoredBlueprint> => {
    const blueprint = await blueprints.find(blueprintId);
    if (blueprint === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId.slice(0, 80)}`);
    return blueprint;
  };
  return [
    bytesRoute({
      method: "POST",
      path: "/v3/blueprints/validate",
      operation: "validateBlueprint",
      summary: "Check a blueprint",
      description: "A zip with manifest.yml at its root, or a bare manifest as YAML or JSON. Nothing is stored.",
      tag,
      access: "public",
      body: PACKAGE_TYPES,
      answer: validationSchema,
      handle: async (call) => renderValidation((await inspectUpload(needs, call, packageBytes(call))).issues),
    }),
    bytesRoute({
      method: "POST",
      path: "/v3/blueprints/upload",
      operation: "uploadBlueprint",
      summary: "Upload a blueprint",
      description: "Takes what Check takes. The same bytes again give the same blueprint.",
      tag,
      access: "owner",
      body: PACKAGE_TYPES,
      answer: Type.Object(
        { blueprint: blueprintSchema, diagnostics: Type.Array(diagnosticSchema, { description: "Warnings." }) },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const { blueprint, issues } = await uploadBlueprint(needs, call, packageBytes(call));
        return { blueprint: renderBlueprint(blueprint), diagnostics: issues.map(renderDiagnostic) };
      },
    }),
    route({
      method: "GET",
      path: "/v3/blueprints",
      operation: "listBlueprints",
      summary: "List blueprints",
      description: "Newest first, those that are built in last. Blueprints are shared by all sites.",
      tag,
      access: "readonly",
      query: paging,
      answer: listAnswer("blueprints", blueprintSchema),
      handle: async ({ query }) => renderPage("blueprints", await blueprints.list(pageOf(query)), renderBlueprint),
    }),
    route({
      method: "GET",
      path: "/v3/blueprints/:blueprint_id",
      operation: "getBlueprint",
      summary: "Get a blueprint",
      tag,
      access: "readonly",
      answer: Type.Object({ blueprint: blueprintSchema }, { additionalProperties: false }),
      handle: async ({ params }) => ({ blueprint: renderBlueprint(await find(params.blueprint_id)) }),
    }),
    route({
      method: "GET",
      path: "/v3/blueprints/:blueprint_id/manifest",
      operation: "getBlueprintManifest",
      summary: "Get the manifest of a blueprint",
      description: "As Get the manifest of a device has it, for a device that is not there yet.",
      tag,
      access: "readonly",
      query: { view: choice("COMPILED unless said otherwise.", ["COMPILED", "ORIGINAL"]) },
      answer: Type.Object(
        { manifest: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: false },
      ),
      handle: async ({ params, query }) => {
        const { id } = await find(params.blueprint_id);
        if (query.view !== "ORIGINAL") return { manifest: await needs.catalog.compiled(id) };
        return { manifest: (await needs.catalog.get(id)).manifest };
      },
    }),
    route({
      method: "GET",
      path: "/v3/blueprints/enapter/:name/:tag",
      operation: "getNamedBlueprint",
      summary: "Get a blueprint by its name",
      description: "The name is the display name in any spelling. The tag is latest, or a version such as 2.",
      tag,
      access: "readonly",
      answer: Type.Object({ blueprint: blueprintSchema }, { additionalProperties: false }),
      handle: async ({ params }) => ({
        blueprint: renderBlueprint(await findNamedBlueprint(needs, params.name, params.tag)),
      }),
    }),
    route({
      method: "GET",
      path: "/v3/blueprints/:blueprint_id/zip",
      operation: "downloadBlueprint",
      summary: "Download a blueprint",
      description: "The package as it was uploaded, or with its manifest compiled; a bare manifest comes packed.",
      tag,
      access: "readonly",
      query: { view: choice("ORIGINAL unless said otherwise.", ["ORIGINAL", "COMPILED"]) },
      answer: { contentType: "application/zip", description: "The package." },
      handle: async (call) => {
        const { id } = await find(call.params.blueprint_id);
        const content = (await blueprints.content(id)) ?? new Uint8Array();
        if (call.query.view !== "COMPILED") return zipAnswer(content, id);
        const { zip } = await needs.compilePackage(content, requesterOf(call.caller, call.remoteAddress));
        if (zip === undefined) throw refuse("invalid_blueprint", `blueprint ${id} is not valid in this version`);
        return zipAnswer(zip, id);
      },
    }),
    route({
      method: "GET",
      path: "/schemas/device-3.0.json",
      operation: "getManifestSchema",
      summary: "The manifest language as a JSON Schema, for editors",
      tag,
      access: "public",
      answer: Type.Object({}, { additionalProperties: true }),
      handle: async () => renderJsonSchema(),
    }),
    route({
      method: "GET",
      path: "/schemas/scenario-1.0.json",
      operation: "getScenarioSchema",
      summary: "The language of blueprint tests as a JSON Schema, for editors",
      tag,
      access: "public",
      answer: Type.Object({}, { additionalProperties: true }),
      // Reading scenarios needs the YAML parser. Nothing else on this thread does, so it is not loaded at the start.
      handle: async () => (await import("#manifest/scenario/parse-scenarios.ts")).renderScenarioSchema(),
    }),
  ];
}
