import type { Node } from "./tree.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ManifestJson {
  /** As the author wrote it, with dot-keys. */
  readonly original: Json;
  /** Without dot-keys, which carry no meaning. */
  readonly meaning: Json;
}

/** The manifest as plain JSON: aliases of YAML followed. The document must be one that `parseManifest` accepted. */
export function manifestJson(root: Node | undefined): ManifestJson {
  if (root?.kind !== "map") throw new TypeError("the document is no manifest");
  return { original: plain(root, "with dot-keys") as Json, meaning: plain(root, "without") as Json };
}

/** Maps have no prototype, so that ids such as `constructor` are ordinary keys. */
export function plain(node: Node, dotKeys: "with dot-keys" | "without"): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map((item) => plain(item, dotKeys));
    case "map": {
      const object: Record<string, unknown> = Object.create(null);
      for (const [key, entry] of node.entries) object[key] = plain(entry.value, dotKeys);
      if (dotKeys === "without") return object;
      for (const [key, entry] of node.freeEntries) object[key] = plain(entry.value, dotKeys);
      return object;
    }
    case "broken":
      // Nobody checks what is below a dot-key. Elsewhere the manifest would not have been accepted.
      return null;
  }
}
