import { listOf } from "./list-of.ts";
import type { NewToken, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function tokens({ perform }: Transport) {
  return {
    /** The token's text is in this answer and nowhere else. */
    create: (body: NewToken) => perform("createToken", { body }),
    list: listOf("tokens", (query: Queries["listTokens"] = {}) => perform("listTokens", { query })),
    /** The token of the call itself. */
    current: () => perform("getOwnToken"),
    revoke: (token_id: string) => perform("revokeToken", { params: { token_id } }),
  };
}
