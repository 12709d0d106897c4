import { refuse } from "#core/app-error.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import { requesterOf } from "#core/share/requester.ts";
import { renderManifestSchema } from "#manifest/manifest-json-schema.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import {
  blueprintSchema,
  diagnosticSchema,
  renderBlueprint,
  renderValidation,
  validationSchema,
} from "#service/blueprint/blueprint-wire.ts";
import { findNamedBlueprint } from "#service/blueprint/find-named-blueprint.ts";
import { inspectUpload } from "#service/blueprint/inspect-upload.ts";
import { packageBytes } from "#service/blueprint/package-bytes.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { withBuiltIns } from "#service/blueprint/with-built-ins.ts";
import { zipAnswer } from "#service/blueprint/zip-answer.ts";
import { bytesOperation, type Operation, operation } from "#service/operation/operation.ts";
import { choice, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Blueprints";
const PACKAGE_TYPES = ["application/zip", "application/yaml", "application/json", "multipart/form-data"];

interface BlueprintNeeds extends UploadNeeds, Pick<Needs, "compilePackage"> {
  readonly catalog: BlueprintCatalog;
}

export function blueprintOperations(needs: BlueprintNeeds): readonly Operation[] {
  const blueprints = withBuiltIns(needs.blueprints);
  const find = async (blueprintId: string): Promise<StoredBlueprint> => {
    const blueprint = await blueprints.find(blueprintId);
    if (blueprint === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId.slice(0, 80)}`);
    return blueprint;
  };
  return [
    bytesOperation({
      method: "POST",
      path: "/v3/blueprints/validate",
      name: "validateBlueprint",
      summary: "Check a blueprint",
      description: "A zip with manifest.yml at its root, or a bare manifest as YAML or JSON. Nothing is stored.",
      tag,
      level: "public",
      body: PACKAGE_TYPES,
      answer: validationSchema,
      run: async (call) => renderValidation((await inspectUpload(needs, call, packageBytes(call))).issues),
    }),
    bytesOperation({
      method: "POST",
      path: "/v3/blueprints/upload",
      name: "uploadBlueprint",
      summary: "Upload a blueprint",
      description: "Takes what Check takes. The same bytes again give the same blueprint.",
      tag,
      level: "owner",
      body: PACKAGE_TYPES,
      answer: Type.Object(
        { blueprint: blueprintSchema, diagnostics: Type.Array(diagnosticSchema, { description: "Warnings." }) },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const { blueprint, issues } = await uploadBlueprint(needs, call, packageBytes(call));
        return { blueprint: renderBlueprint(blueprint, call.caller), diagnostics: issues.map(renderDiagnostic) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/blueprints",
      name: "listBlueprints",
      summary: "List blueprints",
      description: "Newest first, those that are built in last. Blueprints are shared by all sites.",
      tag,
      level: "readonly",
      query: paging,
      answer: listAnswer("blueprints", blueprintSchema),
      run: async ({ query, caller }) =>
        renderPage("blueprints", await blueprints.list(pageOf(query)), (one) => renderBlueprint(one, caller)),
    }),
    operation({
      method: "GET",
      path: "/v3/blueprints/:blueprint_id",
      name: "getBlueprint",
      summary: "Get a blueprint",
      tag,
      level: "readonly",
      answer: Type.Object({ blueprint: blueprintSchema }, { additionalProperties: false }),
      run: async ({ params, caller }) => ({ blueprint: renderBlueprint(await find(params.blueprint_id), caller) }),
    }),
    operation({
      method: "GET",
      path: "/v3/blueprints/:blueprint_id/manifest",
      name: "getBlueprintManifest",
      summary: "Get the manifest of a blueprint",
      description: "As Get the manifest of a device has it, for a device that is not there yet.",
      tag,
      level: "readonly",
      query: { view: choice("COMPILED unless said otherwise.", ["COMPILED", "ORIGINAL"]) },
      answer: Type.Object(
        { manifest: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: false },
      ),
      run: async ({ params, query }) => {
        const { id } = await find(params.blueprint_id);
        if (query.view !== "ORIGINAL") return { manifest: await needs.catalog.compiled(id) };
        return { manifest: (await needs.catalog.get(id)).manifest };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/blueprints/enapter/:name/:tag",
      name: "getNamedBlueprint",
      summary: "Get a blueprint by its name",
      description: "The name is the display name in any spelling. The tag is latest, or a version such as 2.",
      tag,
      level: "readonly",
      answer: Type.Object({ blueprint: blueprintSchema }, { additionalProperties: false }),
      run: async ({ params, caller }) => ({
        blueprint: renderBlueprint(await findNamedBlueprint(needs, params.name, params.tag), caller),
      }),
    }),
    operation({
      method: "GET",
      path: "/v3/blueprints/:blueprint_id/zip",
      name: "downloadBlueprint",
      summary: "Download a blueprint",
      description: "The package as it was uploaded, or with its manifest compiled; a bare manifest comes packed.",
      tag,
      level: "readonly",
      query: { view: choice("ORIGINAL unless said otherwise.", ["ORIGINAL", "COMPILED"]) },
      answer: { contentType: "application/zip", description: "The package." },
      run: async (call) => {
        const { id } = await find(call.params.blueprint_id);
        const content = (await blueprints.content(id)) ?? new Uint8Array();
        if (call.query.view !== "COMPILED") return zipAnswer(content, id);
        const { zip } = await needs.compilePackage(content, requesterOf(call.caller, call.remoteAddress));
        if (zip === undefined) throw refuse("invalid_blueprint", `blueprint ${id} is not valid in this version`);
        return zipAnswer(zip, id);
      },
    }),
    operation({
      method: "GET",
      path: "/schemas/device-3.0.json",
      name: "getManifestSchema",
      summary: "The manifest language as a JSON Schema, for editors",
      tag,
      level: "public",
      answer: Type.Object({}, { additionalProperties: true }),
      run: async () => renderManifestSchema(),
    }),
    operation({
      method: "GET",
      path: "/schemas/scenario-1.0.json",
      name: "getScenarioSchema",
      summary: "The language of blueprint tests as a JSON Schema, for editors",
      tag,
      level: "public",
      answer: Type.Object({}, { additionalProperties: true }),
      // Reading scenarios needs the YAML parser. Nothing else on this thread does, so it is not loaded at the start.
      run: async () => (await import("#manifest/scenario/parse-scenarios.ts")).renderScenarioSchema(),
    }),
  ];
}
