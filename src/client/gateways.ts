import { listOf } from "./list-of.ts";
import type { NewJoinCode, NewUplink, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** In a cloud: the gateways that have joined it. */
export function gateways({ perform }: Transport) {
  return {
    /** The code lets one gateway join. It is in this answer and nowhere else. */
    createJoinCode: (body: NewJoinCode = {}) => perform("createJoinCode", { body }),
    /** Codes with which a gateway can still join, without the codes themselves. */
    listJoinCodes: listOf("join_codes", (query: Queries["listJoinCodes"] = {}) => perform("listJoinCodes", { query })),
    withdrawJoinCode: (join_code_id: string) => perform("withdrawJoinCode", { params: { join_code_id } }),
    list: listOf("gateways", (query: Queries["listGateways"] = {}) => perform("listGateways", { query })),
    get: async (gateway_id: string) => (await perform("getGateway", { params: { gateway_id } })).gateway,
    overview: () => perform("getFleet"),
    revoke: (gateway_id: string) => perform("revokeGateway", { params: { gateway_id } }),
    /** Lets the gateway take over a site of another gateway. */
    giveSite: (gateway_id: string, site_id: string) =>
      perform("giveSite", { params: { gateway_id }, body: { site_id } }),
    rotateCredential: (gateway_id: string) => perform("rotateGatewayCredential", { params: { gateway_id } }),
  };
}

/** In a cloud: the changes that gateways are asked for. */
export function changes({ perform }: Transport) {
  return {
    list: listOf("changes", (query: Queries["listChanges"] = {}) => perform("listChanges", { query })),
    get: async (change_id: string) => (await perform("getChange", { params: { change_id } })).change,
    withdraw: async (change_id: string) => (await perform("withdrawChange", { params: { change_id } })).change,
  };
}

/** On a gateway: the cloud that it has joined. */
export function uplink({ perform }: Transport) {
  return {
    join: (body: NewUplink) => perform("joinCloud", { body }),
    get: () => perform("getUplink"),
    leave: () => perform("leaveCloud"),
  };
}
