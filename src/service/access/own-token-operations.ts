import { endOwnToken, listOwnTokens, type OwnTokenNeeds } from "#service/access/own-tokens.ts";
import { renderToken, tokenSchema } from "#service/access/token-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";

const tag = "Access";

export function ownTokenOperations(needs: OwnTokenNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/account/tokens",
      name: "listOwnTokens",
      summary: "List one's own tokens",
      description: "Those of the person who calls that are valid, newest first. A token of the installation has none.",
      tag,
      level: "readonly",
      query: paging,
      answer: listAnswer("tokens", tokenSchema),
      run: async (call) => renderPage("tokens", await listOwnTokens(needs, call, pageOf(call.query)), renderToken),
    }),
    operation({
      method: "DELETE",
      path: "/v3/account/tokens/:token_id",
      name: "revokeOwnToken",
      summary: "Revoke one's own token",
      description: "Effective at once. One of the person, or the token of the call itself.",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await endOwnToken(needs, call, call.params.token_id);
        return {};
      },
    }),
  ];
}
