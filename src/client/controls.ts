import { listUnder } from "./list-of.ts";
import type { ClaimRenewal, NewClaim, NewInterlock, Queries } from "./resources.ts";
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
    /** Limits of a site that hold whatever anybody claims, and what they demand now. */
    interlocks: (site_id: string) => perform("listInterlocks", { params: { site_id } }),
    interlock: (site_id: string, interlock: string) => perform("getInterlock", { params: { site_id, interlock } }),
    /** `revision` is the one that was read, 0 for none: refused with 409 if it is another one. */
    putInterlock: (site_id: string, interlock: string, body: NewInterlock, revision?: number) =>
      perform("putInterlock", { params: { site_id, interlock }, body, ...ifMatch(revision) }),
    deleteInterlock: (site_id: string, interlock: string, revision?: number) =>
      perform("deleteInterlock", { params: { site_id, interlock }, ...ifMatch(revision) }),
    /** Stores nothing. */
    checkInterlock: (site_id: string, body: NewInterlock) => perform("checkInterlock", { params: { site_id }, body }),
    /** What controlled the device, newest first. */
    history: listUnder("records", (device_id: string, query: Queries["listControlHistory"] = {}) =>
      perform("listControlHistory", { params: { device_id }, query }),
    ),
  };
}

const ifMatch = (revision: number | undefined) =>
  revision === undefined ? {} : { headers: { "If-Match": `"${revision}"` } };
