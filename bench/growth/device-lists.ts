// What lists of devices and other answers about all of them cost.
import type { Gateway } from "../commands/gateway.ts";
import { costOf } from "./cost.ts";
import type { Figures } from "./curve.ts";

interface Place {
  readonly devices: number;
  readonly siteId: string;
}

const EXPANDED = "expand=properties,connectivity,communication,raised_alert_names";
const READS: Readonly<Record<string, (place: Place) => string>> = {
  count: () => "/v3/devices?limit=0",
  page: () => "/v3/devices?limit=10",
  last_page: ({ devices }) => `/v3/devices?limit=10&offset=${devices - 10}`,
  expanded_page: () => `/v3/devices?limit=10&${EXPANDED}`,
  site_alerts: ({ siteId }) => `/v3/sites/${siteId}/alerts?limit=10`,
  metrics: () => "/metrics",
};

/** Of one call: a page of a list should not cost more where there is more. */
export const LIST_GROWTH = Object.fromEntries(
  Object.keys(READS).map((name) => [`${name}_cpu_ms`, { with: "nothing", noise: 0.3 } as const]),
);

export async function listCosts(gateway: Gateway, devices: number): Promise<Figures> {
  const { sites } = JSON.parse(await gateway.call("/v3/sites")) as { sites: readonly { readonly id: string }[] };
  const place = { devices, siteId: sites[0]?.id ?? "" };
  const figures: Record<string, number> = {};
  for (const [name, path] of Object.entries(READS)) {
    figures[`${name}_cpu_ms`] = (await costOf(gateway, () => gateway.call(path(place)))).cpuMs;
  }
  return figures;
}
