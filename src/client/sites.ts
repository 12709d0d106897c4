import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers, NewSite, RetentionRules, SiteChange } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export function sites({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/sites/${segment(id)}${rest}`;
  return {
    list: listOf("sites", (window: Window = {}) =>
      json<Answers["listSites"]>({ method: "GET", path: "/v3/sites", query: { ...window } }),
    ),
    get: (id: string) => json<Answers["getSite"]>({ method: "GET", path: at(id) }),
    create: (site: NewSite) => json<Answers["createSite"]>({ method: "POST", path: "/v3/sites", body: site }),
    update: (id: string, change: SiteChange) =>
      json<Answers["updateSite"]>({ method: "PATCH", path: at(id), body: change }),
    delete: (id: string) => json<Answers["deleteSite"]>({ method: "DELETE", path: at(id) }),
    retention: (id: string) => json<Answers["getRetention"]>({ method: "GET", path: at(id, "/retention") }),
    /** Replaces all rules of the site. */
    putRetention: (id: string, rules: RetentionRules) =>
      json<Answers["putRetention"]>({ method: "PUT", path: at(id, "/retention"), body: rules }),
    /** `period` is today, yesterday, 2026-11-15, 2026-11 or 2026 in the site's time zone. */
    energy: (id: string, query: { readonly period?: string; readonly from?: string; readonly to?: string } = {}) =>
      json<Answers["getSiteEnergy"]>({ method: "GET", path: `${at(id)}/energy`, query }),
  };
}
