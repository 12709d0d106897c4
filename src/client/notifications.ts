import { listUnder } from "./list-of.ts";
import type { Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** What rules told the people of a site, newest first. */
export function notifications({ perform }: Transport) {
  return {
    list: listUnder("notifications", (site_id: string, query: Queries["listNotifications"] = {}) =>
      perform("listNotifications", { params: { site_id }, query }),
    ),
  };
}
