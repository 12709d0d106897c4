import { ALERT_SEVERITIES, ALERT_STATES } from "#core/alert/alert-state.ts";
import { type AlertQuery, type ListAlertsNeeds, listDeviceAlerts, listSiteAlerts } from "#service/alert/list-alerts.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, dateTime, listOf, type ParsedQuery, pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import { alertSchema, renderAlert } from "./alert-wire.ts";

const tag = "Alerts";
const query = {
  ...paging,
  active: choice("Alerts that are active unless said otherwise; false: those that were.", ["true", "false"]),
  "state.in": listOf("Only these states.", ALERT_STATES),
  "severity.in": listOf("Only these severities.", ALERT_SEVERITIES),
  "raised_at.gte": dateTime("Leaves out alerts raised before this."),
  "raised_at.lt": dateTime("Leaves out alerts raised at this moment or after."),
  order: choice("By the time of raising; newest first unless said otherwise.", ["RAISED_AT_DESC", "RAISED_AT_ASC"]),
};
const description =
  "What the device lists as active, by source, with what the blueprint says about it. An alert whose source takes a " +
  "higher level is left out. Live: the events of kind alert.";

export function alertOperations(needs: ListAlertsNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/alerts",
      name: "listDeviceAlerts",
      summary: "List the alerts of a device",
      description,
      tag,
      level: "readonly",
      query,
      answer: listAnswer("alerts", alertSchema),
      run: async (call) => {
        const input = { device: call.params.device_id, query: parseAlertQuery(call.query) };
        return renderPage("alerts", await listDeviceAlerts(needs, call, input), renderAlert);
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/alerts",
      name: "listSiteAlerts",
      summary: "List the alerts of a site",
      description,
      tag,
      level: "readonly",
      query,
      answer: listAnswer("alerts", alertSchema),
      run: async (call) => {
        const input = { siteId: call.params.site_id, query: parseAlertQuery(call.query) };
        return renderPage("alerts", await listSiteAlerts(needs, call, input), renderAlert);
      },
    }),
  ];
}

function parseAlertQuery(given: ParsedQuery<typeof query>): AlertQuery {
  return {
    filter: {
      active: given.active !== "false",
      states: given["state.in"],
      severities: given["severity.in"],
      since: given["raised_at.gte"],
      before: given["raised_at.lt"],
      newestFirst: given.order !== "RAISED_AT_ASC",
    },
    page: pageOf(given),
  };
}
