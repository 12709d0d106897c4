import { covers } from "#core/access/caller.ts";
import { isPerson, type TokenRecord } from "#core/access/token-record.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

type ListTokensNeeds = Pick<Needs, "tokens"> & { readonly authenticator: Authenticator };

/** The tokens that the caller could have created itself: no stronger than its own, and for no other sites. */
export async function listTokens(needs: ListTokensNeeds, call: Call, page: PageRequest): Promise<Page<TokenRecord>> {
  const visible = (await needs.tokens.all()).filter((token) => !isPerson(token) && covers(call.caller, token));
  const items = visible
    .slice(page.offset, page.offset + page.limit)
    .map((token) => ({ ...token, lastUsedAt: needs.authenticator.lastUse(token.id) ?? token.lastUsedAt }));
  return { items, total: visible.length };
}
