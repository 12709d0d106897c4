import { listUnder } from "./list-of.ts";
import type { Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** What is active unless the filter says otherwise, newest first. */
export function alerts({ perform }: Transport) {
  return {
    list: listUnder("alerts", (device_id: string, query: Queries["listDeviceAlerts"] = {}) =>
      perform("listDeviceAlerts", { params: { device_id }, query }),
    ),
    listBySite: listUnder("alerts", (site_id: string, query: Queries["listSiteAlerts"] = {}) =>
      perform("listSiteAlerts", { params: { site_id }, query }),
    ),
  };
}
