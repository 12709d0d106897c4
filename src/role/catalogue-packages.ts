import { fileURLToPath } from "node:url";
import { openPackageShelf } from "#runtime/catalogue/open-package-shelf.ts";
import type { PackageShelf } from "#service/ports/package-shelf.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/blueprints", import.meta.url));

export function openCatalogueShelf(folder: string | undefined): PackageShelf {
  return openPackageShelf({ examples: EXAMPLES, ...(folder !== undefined && { folder }) });
}
