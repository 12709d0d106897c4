import { listOf } from "./list-of.ts";
import type { Fleet, Gateway, GatewayChange, OpenJoinCode, Uplink } from "./resources/gateway.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type NewJoinCode = {
  readonly name?: string;
  readonly expires_in?: string | number;
  /** A gateway whose sites the new one may take over. */
  readonly replaces?: string;
  readonly site_ids?: readonly string[];
};

type CreatedJoinCode = { readonly id: string; readonly code: string; readonly expires_at: string };

/** Those that are connected or not, and those that run one of these versions. */
type GatewayFilter = { readonly connected?: "true" | "false"; readonly "version.in"?: string };

/** In a cloud: the gateways that have joined it. */
export function gateways({ json }: Transport) {
  return {
    /** The code lets one gateway join. It is in this answer and nowhere else. */
    createJoinCode: (code: NewJoinCode = {}) =>
      json<CreatedJoinCode>({ method: "POST", path: "/v3/gateways/join_codes", body: code }),
    /** Codes with which a gateway can still join, without the codes themselves. */
    listJoinCodes: listOf("join_codes", (window: Window = {}) =>
      json<Page<"join_codes", OpenJoinCode>>({ method: "GET", path: "/v3/gateways/join_codes", query: { ...window } }),
    ),
    withdrawJoinCode: (id: string) =>
      json<JsonObject>({ method: "DELETE", path: `/v3/gateways/join_codes/${segment(id)}` }),
    list: listOf("gateways", (window: Window & GatewayFilter = {}) =>
      json<Page<"gateways", Gateway>>({ method: "GET", path: "/v3/gateways", query: { ...window } }),
    ),
    get: async (id: string) =>
      (await json<{ gateway: Gateway }>({ method: "GET", path: `/v3/gateways/${segment(id)}` })).gateway,
    overview: () => json<Fleet>({ method: "GET", path: "/v3/gateways/overview" }),
    revoke: (id: string) => json<JsonObject>({ method: "DELETE", path: `/v3/gateways/${segment(id)}` }),
    /** Lets the gateway take over a site of another gateway. */
    giveSite: (id: string, siteId: string) =>
      json<JsonObject>({ method: "POST", path: `/v3/gateways/${segment(id)}/sites`, body: { site_id: siteId } }),
    rotateCredential: (id: string) =>
      json<JsonObject>({ method: "POST", path: `/v3/gateways/${segment(id)}/rotate_credential` }),
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
      json<Page<"changes", GatewayChange>>({ method: "GET", path: "/v3/changes", query: { ...query } }),
    ),
    get: async (id: string) =>
      (await json<{ change: GatewayChange }>({ method: "GET", path: `/v3/changes/${segment(id)}` })).change,
    withdraw: async (id: string) =>
      (await json<{ change: GatewayChange }>({ method: "POST", path: `/v3/changes/${segment(id)}/withdraw` })).change,
  };
}

/** On a gateway: the cloud that it has joined. */
export function uplink({ json }: Transport) {
  const path = "/v3/uplink";
  return {
    join: (cloud: { readonly url: string; readonly code: string }) =>
      json<Uplink>({ method: "POST", path, body: cloud }),
    get: () => json<Uplink>({ method: "GET", path }),
    leave: () => json<JsonObject>({ method: "DELETE", path }),
  };
}
