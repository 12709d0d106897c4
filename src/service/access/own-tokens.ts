// The tokens of a person, whatever level the person has, and the token of the call itself.
import { ADMIN_TOKEN_ID, isLive, isPerson, type TokenRecord } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { accessTarget } from "#service/access/grant.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface OwnTokenNeeds extends Pick<Needs, "tokens" | "now" | "newId"> {
  readonly authenticator: Pick<Authenticator, "forget" | "lastUse">;
}

/** Those that would be accepted, newest first. None for a call of nobody's token. */
export async function listOwnTokens(
  needs: OwnTokenNeeds,
  { caller }: Call,
  page: PageRequest,
): Promise<Page<TokenRecord>> {
  const { accountId } = caller;
  const all = accountId === undefined ? [] : await needs.tokens.all();
  const own = all.filter((one) => one.accountId === accountId && !isPerson(one) && isLive(one, needs.now())).reverse();
  const items = own
    .slice(page.offset, page.offset + page.limit)
    .map((token) => ({ ...token, lastUsedAt: needs.authenticator.lastUse(token.id) ?? token.lastUsedAt }));
  return { items, total: own.length };
}

/** One of the person's, or the token of the call itself: a program signs out. */
export async function endOwnToken(needs: OwnTokenNeeds, call: Call, tokenId: string): Promise<void> {
  const { accountId, tokenId: own } = call.caller;
  const token = await needs.tokens.find(tokenId);
  const isOwn = token?.id === own || (accountId !== undefined && token?.accountId === accountId);
  if (token === undefined || !isOwn || isPerson(token)) throw refuse("not_found", `you have no token ${tokenId}`);
  if (tokenId === ADMIN_TOKEN_ID || token.fromCloud === true) {
    throw refuse(
      "conflict",
      "this token does not end here: the admin token is in a file, and one of the cloud ends there",
    );
  }
  const trail = auditTrail(needs, call, { target: accessTarget(token), details: { name: token.name } });
  await needs.tokens.revoke(token.id, needs.now(), trail);
  needs.authenticator.forget(token.id);
}
