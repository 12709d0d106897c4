import { fileURLToPath } from "node:url";
import { openPackageRepository } from "#runtime/catalogue/open-package-repository.ts";
import type { PackageRepository } from "#service/ports/package-repository.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/blueprints", import.meta.url));

export function openCataloguePackages(folder: string | undefined): PackageRepository {
  return openPackageRepository({ examples: EXAMPLES, ...(folder !== undefined && { folder }) });
}
