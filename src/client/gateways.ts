import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers, GatewayChange, NewJoinCode, NewUplink } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

/** Those that are connected or not, and those that run one of these versions. */
type GatewayFilter = { readonly connected?: "true" | "false"; readonly "version.in"?: string };

/** In a cloud: the gateways that have joined it. */
export function gateways({ json }: Transport) {
  return {
    /** The code lets one gateway join. It is in this answer and nowhere else. */
    createJoinCode: (code: NewJoinCode = {}) =>
      json<Answers["createJoinCode"]>({ method: "POST", path: "/v3/gateways/join_codes", body: code }),
    /** Codes with which a gateway can still join, without the codes themselves. */
    listJoinCodes: listOf("join_codes", (window: Window = {}) =>
      json<Answers["listJoinCodes"]>({ method: "GET", path: "/v3/gateways/join_codes", query: { ...window } }),
    ),
    withdrawJoinCode: (id: string) =>
      json<Answers["withdrawJoinCode"]>({ method: "DELETE", path: `/v3/gateways/join_codes/${segment(id)}` }),
    list: listOf("gateways", (window: Window & GatewayFilter = {}) =>
      json<Answers["listGateways"]>({ method: "GET", path: "/v3/gateways", query: { ...window } }),
    ),
    get: async (id: string) =>
      (await json<Answers["getGateway"]>({ method: "GET", path: `/v3/gateways/${segment(id)}` })).gateway,
    overview: () => json<Answers["getFleet"]>({ method: "GET", path: "/v3/gateways/overview" }),
    revoke: (id: string) => json<Answers["revokeGateway"]>({ method: "DELETE", path: `/v3/gateways/${segment(id)}` }),
    /** Lets the gateway take over a site of another gateway. */
    giveSite: (id: string, siteId: string) =>
      json<Answers["giveSite"]>({
        method: "POST",
        path: `/v3/gateways/${segment(id)}/sites`,
        body: { site_id: siteId },
      }),
    rotateCredential: (id: string) =>
      json<Answers["rotateGatewayCredential"]>({
        method: "POST",
        path: `/v3/gateways/${segment(id)}/rotate_credential`,
      }),
  };
}

type ChangeFilter = {
  readonly "site_id.in"?: readonly string[];
  readonly "device_id.in"?: readonly string[];
  readonly "state.in"?: readonly GatewayChange["state"][];
};

/** In a cloud: the changes that gateways are asked for. */
export function changes({ json }: Transport) {
  return {
    list: listOf("changes", (query: Window & ChangeFilter = {}) =>
      json<Answers["listChanges"]>({ method: "GET", path: "/v3/changes", query: { ...query } }),
    ),
    get: async (id: string) =>
      (await json<Answers["getChange"]>({ method: "GET", path: `/v3/changes/${segment(id)}` })).change,
    withdraw: async (id: string) =>
      (await json<Answers["withdrawChange"]>({ method: "POST", path: `/v3/changes/${segment(id)}/withdraw` })).change,
  };
}

/** On a gateway: the cloud that it has joined. */
export function uplink({ json }: Transport) {
  const path = "/v3/uplink";
  return {
    join: (cloud: NewUplink) => json<Answers["joinCloud"]>({ method: "POST", path, body: cloud }),
    get: () => json<Answers["getUplink"]>({ method: "GET", path }),
    leave: () => json<Answers["leaveCloud"]>({ method: "DELETE", path }),
  };
}
