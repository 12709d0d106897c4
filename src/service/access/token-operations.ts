import type { Authenticator } from "#service/access/authenticator.ts";
import { createToken } from "#service/access/create-token.ts";
import { listTokens } from "#service/access/list-tokens.ts";
import { revokeToken } from "#service/access/revoke-token.ts";
import { renderSiteLevels } from "#service/access/site-levels-wire.ts";
import {
  createdTokenSchema,
  newTokenSchema,
  ownTokenSchema,
  parseNewToken,
  renderToken,
  tokenSchema,
} from "#service/access/token-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, NOTHING, renderPage, strict } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Access";

type TokenNeeds = Pick<Needs, "tokens" | "sites" | "now" | "newId" | "randomBytes"> & {
  readonly authenticator: Authenticator;
};

export function tokenOperations(needs: TokenNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/tokens",
      name: "createToken",
      summary: "Create an access token",
      description: "Grants at most the caller's own level and sites. The token is shown this once.",
      tag,
      level: "owner",
      body: newTokenSchema,
      answer: createdTokenSchema,
      run: async (call) => {
        const { id, text } = await createToken(needs, call, parseNewToken(call.body));
        return { id, token: text };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/tokens",
      name: "listTokens",
      summary: "List access tokens",
      description: "Those that the caller could have made itself: no stronger and for no other sites.",
      tag,
      level: "owner",
      query: paging,
      answer: listAnswer("tokens", tokenSchema),
      run: async (call) => renderPage("tokens", await listTokens(needs, call, pageOf(call.query)), renderToken),
    }),
    operation({
      method: "GET",
      path: "/v3/tokens/current",
      name: "getOwnToken",
      summary: "Who is calling",
      description: "The name, level and sites of the token of the call itself.",
      tag,
      level: "readonly",
      answer: strict("OwnTokenAnswer", { token: ownTokenSchema }),
      run: async ({ caller }) => ({
        token: {
          id: caller.tokenId,
          name: caller.tokenName,
          level: caller.level,
          site_ids: caller.sites === "all" ? null : [...caller.sites],
          site_levels: renderSiteLevels(caller),
        },
      }),
    }),
    operation({
      method: "DELETE",
      path: "/v3/tokens/:token_id",
      name: "revokeToken",
      summary: "Revoke an access token",
      description: "Effective at once: a call that starts after the answer is refused.",
      tag,
      level: "owner",
      answer: NOTHING,
      run: async (call) => {
        await revokeToken(needs, call, call.params.token_id);
        return {};
      },
    }),
  ];
}
