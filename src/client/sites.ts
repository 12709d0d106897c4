import { listOf } from "./list-of.ts";
import type { MayWait } from "./resources/gateway.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import type { Location, Site, SiteEnergy, SiteRetention } from "./resources/site.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type SiteFields = { readonly name: string; readonly timezone?: string; readonly location?: Location };
type SiteChange = Partial<SiteFields> & { readonly clear?: readonly "location"[] };

export function sites({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/sites/${segment(id)}${rest}`;
  return {
    list: listOf("sites", (window: Window = {}) =>
      json<Page<"sites", Site>>({ method: "GET", path: "/v3/sites", query: { ...window } }),
    ),
    get: (id: string) => json<{ site: Site }>({ method: "GET", path: at(id) }),
    create: (site: SiteFields) => json<{ site: Site }>({ method: "POST", path: "/v3/sites", body: site }),
    update: (id: string, change: SiteChange) =>
      json<{ site: Site } & MayWait>({ method: "PATCH", path: at(id), body: change }),
    delete: (id: string) => json<JsonObject>({ method: "DELETE", path: at(id) }),
    retention: (id: string) => json<{ retention: SiteRetention }>({ method: "GET", path: at(id, "/retention") }),
    /** Replaces all rules of the site. */
    putRetention: (id: string, rules: Partial<Pick<SiteRetention, "attributes">> & { readonly default?: string }) =>
      json<{ retention: SiteRetention }>({ method: "PUT", path: at(id, "/retention"), body: rules }),
    /** `period` is today, yesterday, 2026-11-15, 2026-11 or 2026 in the site's time zone. */
    energy: (id: string, query: { readonly period?: string; readonly from?: string; readonly to?: string } = {}) =>
      json<{ energy: SiteEnergy }>({ method: "GET", path: `${at(id)}/energy`, query }),
  };
}
