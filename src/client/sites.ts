import { listOf } from "./list-of.ts";
import { callOf } from "./perform.ts";
import type {
  NewPriceSource,
  NewPrices,
  NewSite,
  NewTariff,
  Queries,
  RetentionRules,
  SiteChange,
} from "./resources.ts";
import type { Transport } from "./transport.ts";

export function sites({ perform, bytes }: Transport) {
  return {
    list: listOf("sites", (query: Queries["listSites"] = {}) => perform("listSites", { query })),
    get: (site_id: string) => perform("getSite", { params: { site_id } }),
    create: (body: NewSite) => perform("createSite", { body }),
    update: (site_id: string, body: SiteChange) => perform("updateSite", { params: { site_id }, body }),
    delete: (site_id: string) => perform("deleteSite", { params: { site_id } }),
    retention: (site_id: string) => perform("getRetention", { params: { site_id } }),
    /** Replaces all rules of the site. */
    putRetention: (site_id: string, body: RetentionRules) => perform("putRetention", { params: { site_id }, body }),
    /** `period` is today, this_week, 2026-11-15, 2026-W47, 2026-11 or 2026 in the site's time zone. */
    energy: (site_id: string, query: Queries["getSiteEnergy"] = {}) =>
      perform("getSiteEnergy", { params: { site_id }, query }),
    /** The steps of the period as a file; `query.step` is needed. */
    energyTable: (site_id: string, form: "csv" | "parquet", query: Queries["getSiteEnergy"]) => {
      const type = form === "csv" ? "text/csv" : "application/vnd.apache.parquet";
      return bytes(callOf("getSiteEnergy", { params: { site_id }, query, headers: { Accept: type } }));
    },
    tariff: (site_id: string) => perform("getTariff", { params: { site_id } }),
    /** Replaces the tariff with all its versions. */
    putTariff: (site_id: string, body: NewTariff) => perform("putTariff", { params: { site_id }, body }),
    deleteTariff: (site_id: string) => perform("deleteTariff", { params: { site_id } }),
    /** `kind` is import, export or co2. */
    prices: (site_id: string, kind: string, query: Queries["getPrices"] = {}) =>
      perform("getPrices", { params: { site_id, kind }, query }),
    putPrices: (site_id: string, kind: string, body: NewPrices) =>
      perform("putPrices", { params: { site_id, kind }, body }),
    /** Where prices are fetched from, and how that goes. */
    priceSources: (site_id: string) => perform("listPriceSources", { params: { site_id } }),
    putPriceSource: (site_id: string, kind: string, body: NewPriceSource) =>
      perform("putPriceSource", { params: { site_id, kind }, body }),
    deletePriceSource: (site_id: string, kind: string) => perform("deletePriceSource", { params: { site_id, kind } }),
    /** Fetches once and stores nothing. */
    tryPriceSource: (site_id: string, kind: string, body: NewPriceSource) =>
      perform("tryPriceSource", { params: { site_id, kind }, body }),
  };
}
