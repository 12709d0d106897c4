import { listOf } from "./list-of.ts";
import type { Window } from "./page.ts";
import type { Answers, NewToken } from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export function tokens({ json }: Transport) {
  return {
    /** The token's text is in this answer and nowhere else. */
    create: (token: NewToken) => json<Answers["createToken"]>({ method: "POST", path: "/v3/tokens", body: token }),
    list: listOf("tokens", (window: Window = {}) =>
      json<Answers["listTokens"]>({ method: "GET", path: "/v3/tokens", query: { ...window } }),
    ),
    /** The token of the call itself. */
    current: () => json<Answers["getOwnToken"]>({ method: "GET", path: "/v3/tokens/current" }),
    revoke: (id: string) => json<Answers["revokeToken"]>({ method: "DELETE", path: `/v3/tokens/${segment(id)}` }),
  };
}
