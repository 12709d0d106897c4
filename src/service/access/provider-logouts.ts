// The provider says that somebody has signed out there, or was signed out: the sessions here that came from it end. Tokens stay: they are
// for programs, which go on when nobody is signed in.
import { refuse } from "#core/app-error.ts";
import type { AfterWrongCode } from "#service/access/attempt-limits.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { accessTarget } from "#service/access/grant.ts";
import { failed, type ProviderSignInNeeds, required } from "#service/access/provider-round-trip.ts";
import type { Call } from "#service/ports.ts";

export interface ProviderLogoutNeeds extends ProviderSignInNeeds {
  readonly afterWrongCode: AfterWrongCode;
}

/** Nobody who is meant is no failure: the provider tells everybody with whom somebody was signed in once. */
export async function endByProvider(
  needs: ProviderLogoutNeeds,
  call: Omit<Call, "caller">,
  token: string,
): Promise<void> {
  const logout = await required(needs).provider.readLogout(token);
  if ("error" in logout) {
    if (logout.kind === "unreachable") throw failed(needs, logout);
    const wrong = refuse("unauthorized", `the logout token is not accepted: ${logout.error}`);
    const error = await needs.afterWrongCode(call.remoteAddress, wrong);
    // The standard wants 400.
    throw error === wrong ? refuse("invalid_body", wrong.message, { pointer: "/logout_token" }) : error;
  }
  const { subject, session } = logout;
  const ids =
    subject === undefined
      ? await idsOfSession(needs, session)
      : [(await needs.accounts.findByProvider({ issuer: logout.issuer, subject }))?.id];
  for (const id of ids) if (id !== undefined) await endSessions(needs, call, { id, session });
}

async function endSessions(
  needs: ProviderLogoutNeeds,
  call: Omit<Call, "caller">,
  { id, session }: { readonly id: string; readonly session: string | undefined },
): Promise<void> {
  const account = await needs.accounts.find(id);
  // Its sessions come from elsewhere.
  if (account?.provider === undefined) return;
  const { name, level, sites } = account;
  const caller = { tokenId: id, tokenName: name, accountId: id, level, sites };
  const details = { account: name, by: "provider" };
  const trail = auditTrail(needs, { ...call, caller }, { target: accessTarget(account), details });
  needs.openSessions.forget(await needs.sessions.endOfProvider(id, session, trail));
}

/** Whose session at the provider it is, where the provider says no more. */
async function idsOfSession(
  { sessions }: Pick<ProviderLogoutNeeds, "sessions">,
  session: string | undefined,
): Promise<readonly string[]> {
  const all = await sessions.all();
  return [...new Set(all.filter((one) => one.providerSession === session).map(({ tokenId }) => tokenId))];
}
