import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers } from "./resources.ts";
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
      json<Answers["listAudit"]>({ method: "GET", path: "/v3/audit", query: { ...filter } }),
    ),
  };
}
