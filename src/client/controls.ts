import { listUnder } from "./list-of.ts";
import type { ClaimRenewal, NewClaim, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** What can be controlled of devices, who controls it, and claims. */
export function controls({ perform }: Transport) {
  return {
    list: listUnder("controls", (device_id: string, query: Queries["listDeviceControls"] = {}) =>
      perform("listDeviceControls", { params: { device_id }, query }),
    ),
    /** Those that somebody controls now. */
    listBySite: listUnder("controls", (site_id: string, query: Queries["listSiteControls"] = {}) =>
      perform("listSiteControls", { params: { site_id }, query }),
    ),
    get: (device_id: string, control: string) => perform("getControl", { params: { device_id, control } }),
    claim: (device_id: string, control: string, body: NewClaim) =>
      perform("claimControl", { params: { device_id, control }, body }),
    /** The same claim for longer. */
    renew: (device_id: string, control: string, claim_id: string, body: ClaimRenewal = {}) =>
      perform("renewClaim", { params: { device_id, control, claim_id }, body }),
    release: (device_id: string, control: string, claim_id: string) =>
      perform("releaseClaim", { params: { device_id, control, claim_id } }),
    /** What controlled the device, newest first. */
    history: listUnder("records", (device_id: string, query: Queries["listControlHistory"] = {}) =>
      perform("listControlHistory", { params: { device_id }, query }),
    ),
  };
}
