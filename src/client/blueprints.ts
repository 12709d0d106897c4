import { listOf } from "./list-of.ts";
import { callOf } from "./perform.ts";
import type { Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function blueprints({ perform, bytes }: Transport) {
  /** A zip with manifest.yml at its root, or a bare manifest. */
  const packed = (content: Uint8Array) => ({
    bytes: { content, type: isZip(content) ? "application/zip" : "application/yaml" },
  });
  return {
    list: listOf("blueprints", (query: Queries["listBlueprints"] = {}) => perform("listBlueprints", { query })),
    get: (blueprint_id: string) => perform("getBlueprint", { params: { blueprint_id } }),
    manifest: (blueprint_id: string, view?: "COMPILED" | "ORIGINAL") =>
      perform("getBlueprintManifest", { params: { blueprint_id }, query: { view } }),
    upload: (content: Uint8Array) => perform("uploadBlueprint", packed(content)),
    validate: (content: Uint8Array) => perform("validateBlueprint", packed(content)),
    /** A zip with one YAML file for each profile; its path is the id. */
    uploadProfiles: (content: Uint8Array) => perform("uploadProfiles", packed(content)),
    downloadProfiles: () => bytes(callOf("downloadProfiles")),
    /** The package as it was uploaded, as a zip. */
    download: (blueprint_id: string) =>
      bytes(callOf("downloadBlueprint", { params: { blueprint_id }, query: { view: "ORIGINAL" } })),
  };
}

function isZip(content: Uint8Array): boolean {
  return content[0] === 0x50 && content[1] === 0x4b;
}
