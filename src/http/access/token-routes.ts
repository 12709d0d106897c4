import {
  createdTokenSchema,
  newTokenSchema,
  ownTokenSchema,
  parseNewToken,
  renderToken,
  tokenSchema,
} from "#http/access/token-wire.ts";
import { pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { listAnswer, NOTHING, renderPage, strict } from "#http/wire.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { createToken } from "#service/access/create-token.ts";
import { listTokens } from "#service/access/list-tokens.ts";
import { revokeToken } from "#service/access/revoke-token.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Access";

type TokenNeeds = Pick<Needs, "tokens" | "sites" | "now" | "newId" | "randomBytes"> & {
  readonly authenticator: Authenticator;
};

export function tokenRoutes(needs: TokenNeeds): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/tokens",
      operation: "createToken",
      summary: "Create an access token",
      description: "Grants at most the caller's own level and sites. The token is shown this once.",
      tag,
      access: "owner",
      body: newTokenSchema,
      answer: createdTokenSchema,
      handle: async (call) => {
        const { id, text } = await createToken(needs, call, parseNewToken(call.body));
        return { id, token: text };
      },
    }),
    route({
      method: "GET",
      path: "/v3/tokens",
      operation: "listTokens",
      summary: "List access tokens",
      description: "Those that the caller could have made itself: no stronger and for no other sites.",
      tag,
      access: "owner",
      query: paging,
      answer: listAnswer("tokens", tokenSchema),
      handle: async (call) => renderPage("tokens", await listTokens(needs, call, pageOf(call.query)), renderToken),
    }),
    route({
      method: "GET",
      path: "/v3/tokens/current",
      operation: "getOwnToken",
      summary: "Who is calling",
      description: "The name, level and sites of the token of the call itself.",
      tag,
      access: "readonly",
      answer: strict("OwnTokenAnswer", { token: ownTokenSchema }),
      handle: async ({ caller: { tokenId, tokenName, level, sites } }) => ({
        token: { id: tokenId, name: tokenName, level, site_ids: sites === "all" ? null : [...sites] },
      }),
    }),
    route({
      method: "DELETE",
      path: "/v3/tokens/:token_id",
      operation: "revokeToken",
      summary: "Revoke an access token",
      description: "Effective at once: a call that starts after the answer is refused.",
      tag,
      access: "owner",
      answer: NOTHING,
      handle: async (call) => {
        await revokeToken(needs, call, call.params.token_id);
        return {};
      },
    }),
  ];
}
