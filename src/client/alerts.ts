import { listUnder } from "./list-of.ts";
import type { AcknowledgeAlert, NewMaintenanceWindow, Queries, UnacknowledgeAlert } from "./resources.ts";
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
    /** The caller takes care of it. */
    acknowledge: (device_id: string, alert_id: string, body: AcknowledgeAlert = {}) =>
      perform("acknowledgeAlert", { params: { device_id, alert_id }, body }),
    unacknowledge: (device_id: string, alert_id: string, body: UnacknowledgeAlert = {}) =>
      perform("unacknowledgeAlert", { params: { device_id, alert_id }, body }),
    /** Maintenance windows of a site. */
    maintenance: listUnder("windows", (site_id: string, query: Queries["listMaintenance"] = {}) =>
      perform("listMaintenance", { params: { site_id }, query }),
    ),
    silence: (site_id: string, body: NewMaintenanceWindow) =>
      perform("createMaintenance", { params: { site_id }, body }),
    endSilence: (site_id: string, window_id: string) => perform("endMaintenance", { params: { site_id, window_id } }),
  };
}
