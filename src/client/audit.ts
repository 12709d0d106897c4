import { listOf } from "./list-of.ts";
import type { AuditEntry } from "./resources/access.ts";
import type { Page, Window } from "./resources/page.ts";
import type { Transport } from "./transport.ts";

export function audit({ json }: Transport) {
  type Filter = Window & {
    readonly "at.gte"?: string | undefined;
    readonly "at.lt"?: string | undefined;
    readonly "action.in"?: readonly string[] | undefined;
    readonly "site_id.in"?: readonly string[] | undefined;
    readonly "outcome.in"?: readonly string[] | undefined;
    readonly order?: "AT_ASC" | "AT_DESC" | undefined;
  };
  return {
    list: listOf("entries", (filter: Filter = {}) =>
      json<Page<"entries", AuditEntry>>({ method: "GET", path: "/v3/audit", query: { ...filter } }),
    ),
  };
}
