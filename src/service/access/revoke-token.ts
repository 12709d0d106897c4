import { covers } from "#core/access/caller.ts";
import { ADMIN_TOKEN_ID, isPerson } from "#core/access/token-record.ts";
import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { accessTarget } from "#service/access/grant.ts";
import type { Call, Needs } from "#service/ports.ts";

type RevokeTokenNeeds = Pick<Needs, "tokens" | "now" | "newId"> & { readonly authenticator: Authenticator };

/** Revoking a token twice has the same effect as once. */
export async function revokeToken(needs: RevokeTokenNeeds, call: Call, tokenId: string): Promise<void> {
  const token = await needs.tokens.find(tokenId);
  if (token === undefined || isPerson(token) || !covers(call.caller, token)) {
    throw refuse("not_found", `there is no token ${tokenId}`);
  }
  if (tokenId === ADMIN_TOKEN_ID) {
    throw refuse("conflict", "the admin token is not revoked by a call: replace admin.token or BUSBAR_ADMIN_TOKEN");
  }
  const trail = auditTrail(needs, call, { target: accessTarget(token), details: { name: token.name } });
  await needs.tokens.revoke(tokenId, needs.now(), trail);
  needs.authenticator.forget(tokenId);
}
