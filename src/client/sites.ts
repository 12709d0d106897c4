import { listOf } from "./list-of.ts";
import type { NewSite, Queries, RetentionRules, SiteChange } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function sites({ perform }: Transport) {
  return {
    list: listOf("sites", (query: Queries["listSites"] = {}) => perform("listSites", { query })),
    get: (site_id: string) => perform("getSite", { params: { site_id } }),
    create: (body: NewSite) => perform("createSite", { body }),
    update: (site_id: string, body: SiteChange) => perform("updateSite", { params: { site_id }, body }),
    delete: (site_id: string) => perform("deleteSite", { params: { site_id } }),
    retention: (site_id: string) => perform("getRetention", { params: { site_id } }),
    /** Replaces all rules of the site. */
    putRetention: (site_id: string, body: RetentionRules) => perform("putRetention", { params: { site_id }, body }),
    /** `period` is today, yesterday, 2026-11-15, 2026-11 or 2026 in the site's time zone. */
    energy: (site_id: string, query: Queries["getSiteEnergy"] = {}) =>
      perform("getSiteEnergy", { params: { site_id }, query }),
  };
}
