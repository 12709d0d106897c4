import { listOf } from "./list-of.ts";
import type { AccessLevel, OwnToken, Token } from "./resources/access.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

export function tokens({ json }: Transport) {
  type Fields = {
    readonly name: string;
    readonly level: AccessLevel;
    readonly site_ids?: readonly string[];
    readonly expires_in?: string;
  };
  return {
    /** The token's text is in this answer and nowhere else. */
    create: (token: Fields) => json<{ id: string; token: string }>({ method: "POST", path: "/v3/tokens", body: token }),
    list: listOf("tokens", (window: Window = {}) =>
      json<Page<"tokens", Token>>({ method: "GET", path: "/v3/tokens", query: { ...window } }),
    ),
    /** The token of the call itself. */
    current: () => json<{ token: OwnToken }>({ method: "GET", path: "/v3/tokens/current" }),
    revoke: (id: string) => json<JsonObject>({ method: "DELETE", path: `/v3/tokens/${segment(id)}` }),
  };
}
