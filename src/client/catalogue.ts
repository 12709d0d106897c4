import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export function catalogue({ json, bytes }: Transport) {
  type Search = Window & { readonly q?: string | undefined; readonly category?: string | undefined };
  return {
    list: listOf("entries", (search: Search = {}) =>
      json<Answers["listCatalogue"]>({ method: "GET", path: "/v3/catalogue", query: { ...search } }),
    ),
    /** The package as a zip, also of an entry that is not uploaded. */
    download: (entryId: string) => bytes({ method: "GET", path: `/v3/catalogue/${segment(entryId)}/zip` }),
    /** The blueprint that devices can use from now on. */
    upload: (entryId: string) =>
      json<Answers["uploadCatalogueEntry"]>({
        method: "POST",
        path: `/v3/catalogue/${segment(entryId)}/upload`,
      }),
  };
}
