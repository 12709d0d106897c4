import { listOf } from "./list-of.ts";
import { callOf } from "./perform.ts";
import type { Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function catalogue({ perform, bytes }: Transport) {
  return {
    list: listOf("entries", (query: Queries["listCatalogue"] = {}) => perform("listCatalogue", { query })),
    /** The package as a zip, also of an entry that is not uploaded. */
    download: (entry_id: string) => bytes(callOf("downloadCatalogueEntry", { params: { entry_id } })),
    /** The blueprint that devices can use from now on. */
    upload: (entry_id: string) => perform("uploadCatalogueEntry", { params: { entry_id } }),
  };
}
