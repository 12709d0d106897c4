import { listOf } from "./list-of.ts";
import type { Blueprint, Diagnostic, Validation } from "./resources/blueprint.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export function blueprints({ json, bytes }: Transport) {
  type Uploaded = { readonly blueprint: Blueprint; readonly diagnostics?: readonly Diagnostic[] };
  /** A zip with manifest.yml at its root, or a bare manifest. */
  const send = <T>(path: string, content: Uint8Array) =>
    json<T>({
      method: "POST",
      path,
      bytes: { content, type: isZip(content) ? "application/zip" : "application/yaml" },
    });
  const at = (id: string, rest = "") => `/v3/blueprints/${segment(id)}${rest}`;
  return {
    list: listOf("blueprints", (window: Window = {}) =>
      json<Page<"blueprints", Blueprint>>({ method: "GET", path: "/v3/blueprints", query: { ...window } }),
    ),
    get: (id: string) => json<{ blueprint: Blueprint }>({ method: "GET", path: at(id) }),
    manifest: (id: string, view?: "COMPILED" | "ORIGINAL") =>
      json<{ manifest: JsonObject }>({ method: "GET", path: at(id, "/manifest"), query: { view } }),
    upload: (content: Uint8Array) => send<Uploaded>("/v3/blueprints/upload", content),
    validate: (content: Uint8Array) => send<Validation>("/v3/blueprints/validate", content),
    /** A zip with one YAML file for each profile; its path is the id. */
    uploadProfiles: (content: Uint8Array) =>
      send<{ readonly profiles: readonly string[]; readonly diagnostics: readonly Diagnostic[] }>(
        "/v3/blueprints/upload_device_profiles",
        content,
      ),
    downloadProfiles: () => bytes({ method: "GET", path: "/v3/blueprints/device_profiles/download" }),
    /** The package as it was uploaded, as a zip. */
    download: (id: string) => bytes({ method: "GET", path: at(id, "/zip"), query: { view: "ORIGINAL" } }),
  };
}

function isZip(content: Uint8Array): boolean {
  return content[0] === 0x50 && content[1] === 0x4b;
}
