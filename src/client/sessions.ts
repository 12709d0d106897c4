import { listOf } from "./list-of.ts";
import type { Bodies, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** Sign-in of a page, which then calls without a token: the browser keeps the session in a cookie. */
export function sessions({ perform }: Transport) {
  return {
    /** `replace`: the code may end the browser's session of another token, which is a `conflict` otherwise. */
    create: (body: Bodies["createSession"]) => perform("createSession", { body }),
    /** That of the browser that asks, or null. Without a session this is no refusal. */
    find: () => perform("findSession"),
    current: () => perform("getCurrentSession"),
    list: listOf("sessions", (query: Queries["listSessions"] = {}) => perform("listSessions", { query })),
    end: (session_id: string) => perform("endSession", { params: { session_id } }),
    endCurrent: () => perform("endCurrentSession"),
    /** All sessions of the caller's token. */
    endAll: () => perform("endOwnSessions"),
    /** For the link /sign-in#code=... of the page; valid once and for 10 minutes. */
    createCode: () => perform("createSignInCode"),
    /** In a cloud: whether a person can sign in to the gateway of a site, and where its page is. */
    findGatewaySignIn: (siteId: string) => perform("findGatewaySignIn", { params: { site_id: siteId } }),
    /** In a cloud, as a person: for the page of the site's gateway. */
    createGatewayCode: (siteId: string) => perform("createGatewaySignInCode", { params: { site_id: siteId } }),
  };
}
