import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const FOLDERS: ReadonlyMap<string, string> = new Map([
  ["#web", "../src"],
  ["#client", "../../src/client"],
  ["#core", "../../src/core"],
  ["#manifest", "../../src/manifest"],
]);

/**
 * `#client/...` in a file of ours means the layer of the service. Not an alias of Vite, because that would hold for
 * packages too, and Svelte has a `#client` of its own.
 */
export function layers(): Plugin {
  return {
    name: "busbar-layers",
    enforce: "pre",
    resolveId(id, importer) {
      if (!id.startsWith("#") || importer === undefined || importer.includes("/node_modules/")) return undefined;
      const [layer = "", ...rest] = id.split("/");
      const folder = FOLDERS.get(layer);
      return folder && fileURLToPath(new URL(`${folder}/${rest.join("/")}`, import.meta.url));
    },
  };
}
