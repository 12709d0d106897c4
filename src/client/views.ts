import { listUnder } from "./list-of.ts";
import type { NewKioskLink, NewView, Queries, ViewChange } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** What people save on the page: charts, dashboards and filters. */
export function views({ perform }: Transport) {
  return {
    list: listUnder("views", (site_id: string, query: Queries["listViews"] = {}) =>
      perform("listViews", { params: { site_id }, query }),
    ),
    get: (site_id: string, view_id: string) => perform("getView", { params: { site_id, view_id } }),
    create: (site_id: string, body: NewView) => perform("createView", { params: { site_id }, body }),
    /** Refused with `conflict` if somebody has changed the view since the given revision. */
    update: (site_id: string, view_id: string, body: ViewChange) =>
      perform("updateView", { params: { site_id, view_id }, body }),
    /** A link for a screen on a wall: `/sites/{site_id}/kiosk/{view_id}#code=...` of the page signs in once. */
    kioskLink: (site_id: string, view_id: string, body: NewKioskLink = {}) =>
      perform("createKioskLink", { params: { site_id, view_id }, body }),
    delete: (site_id: string, view_id: string) => perform("deleteView", { params: { site_id, view_id } }),
  };
}
