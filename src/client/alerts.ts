import { listUnder } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Alert, Answers } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export type AlertFilter = Window & {
  /** False: those that were active. */
  readonly active?: boolean | undefined;
  readonly "state.in"?: readonly Alert["state"][] | undefined;
  readonly "severity.in"?: readonly Alert["severity"][] | undefined;
  readonly "raised_at.gte"?: string | undefined;
  readonly "raised_at.lt"?: string | undefined;
  readonly order?: "RAISED_AT_ASC" | "RAISED_AT_DESC" | undefined;
};

/** What is active unless the filter says otherwise, newest first. */
export function alerts({ json }: Transport) {
  const list = (path: string, { active, ...filter }: AlertFilter) =>
    json<Answers["listDeviceAlerts"]>({
      method: "GET",
      path,
      query: { ...filter, ...(active !== undefined && { active: String(active) }) },
    });
  return {
    list: listUnder("alerts", (deviceId: string, filter: AlertFilter = {}) =>
      list(`/v3/devices/${segment(deviceId)}/alerts`, filter),
    ),
    listBySite: listUnder("alerts", (siteId: string, filter: AlertFilter = {}) =>
      list(`/v3/sites/${segment(siteId)}/alerts`, filter),
    ),
  };
}
