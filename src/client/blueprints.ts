import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export function blueprints({ json, bytes }: Transport) {
  /** A zip with manifest.yml at its root, or a bare manifest. */
  const send = <Name extends keyof Answers>(path: string, content: Uint8Array) =>
    json<Answers[Name]>({
      method: "POST",
      path,
      bytes: { content, type: isZip(content) ? "application/zip" : "application/yaml" },
    });
  const at = (id: string, rest = "") => `/v3/blueprints/${segment(id)}${rest}`;
  return {
    list: listOf("blueprints", (window: Window = {}) =>
      json<Answers["listBlueprints"]>({ method: "GET", path: "/v3/blueprints", query: { ...window } }),
    ),
    get: (id: string) => json<Answers["getBlueprint"]>({ method: "GET", path: at(id) }),
    manifest: (id: string, view?: "COMPILED" | "ORIGINAL") =>
      json<Answers["getBlueprintManifest"]>({ method: "GET", path: at(id, "/manifest"), query: { view } }),
    upload: (content: Uint8Array) => send<"uploadBlueprint">("/v3/blueprints/upload", content),
    validate: (content: Uint8Array) => send<"validateBlueprint">("/v3/blueprints/validate", content),
    /** A zip with one YAML file for each profile; its path is the id. */
    uploadProfiles: (content: Uint8Array) => send<"uploadProfiles">("/v3/blueprints/upload_device_profiles", content),
    downloadProfiles: () => bytes({ method: "GET", path: "/v3/blueprints/device_profiles/download" }),
    /** The package as it was uploaded, as a zip. */
    download: (id: string) => bytes({ method: "GET", path: at(id, "/zip"), query: { view: "ORIGINAL" } }),
  };
}

function isZip(content: Uint8Array): boolean {
  return content[0] === 0x50 && content[1] === 0x4b;
}
