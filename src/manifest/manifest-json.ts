import { readDocument } from "./read-document.ts";
import { createReporter } from "./reporter.ts";
import type { Node } from "./tree.ts";

/**
 * The manifest as the author wrote it, as plain JSON: aliases of YAML followed, dot-keys gone. The text must be one that
 * `parseManifest` accepts.
 */
export function manifestJson(text: string): Readonly<Record<string, unknown>> {
  const root = readDocument(createReporter(text));
  if (root?.kind !== "map") throw new TypeError("the text is no manifest");
  return plain(root) as Record<string, unknown>;
}

/** Maps have no prototype, so that ids such as `constructor` are ordinary keys. */
function plain(node: Node): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "map": {
      const object: Record<string, unknown> = Object.create(null);
      for (const [key, entry] of node.entries) object[key] = plain(entry.value);
      return object;
    }
    case "broken":
      throw new TypeError("the text is no manifest");
  }
}
