// What people do with their own account. A call with a token has none.
import type { Account } from "#core/access/account.ts";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { type AccountNeeds, hashed, signsInByProvider, storeChange, withLastUse } from "#service/access/accounts.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { CheckPassword } from "#service/access/check-password.ts";
import { beginSession, type SignedIn, type SignInNeeds } from "#service/access/sign-in.ts";
import type { AccountChange } from "#service/ports/account-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface OwnAccountNeeds
  extends AccountNeeds,
    Pick<Needs, "audit">,
    Pick<
      SignInNeeds,
      "sessions" | "openSessions" | "secondFactors" | "secondFactorFrom" | "seal" | "signInPlaces" | "sessionLifetimeMs"
    > {
  readonly authenticator: Pick<Authenticator, "forget" | "lastUse" | "authenticate" | "holder">;
  readonly checkPassword: CheckPassword;
}

export async function ownAccount(needs: OwnAccountNeeds, caller: Caller): Promise<Account> {
  const account = await needs.accounts.find(caller.tokenId);
  if (account === undefined)
    throw refuse("not_found", "this call used an access token, and not the session of a person");
  return withLastUse(needs, account);
}

export async function changeOwnAccount(
  needs: OwnAccountNeeds,
  call: Call,
  change: Pick<AccountChange, "name" | "language" | "timeFormat">,
): Promise<Account> {
  const before = await ownAccount(needs, call.caller);
  await storeChange(needs, call, { before, change });
  return await ownAccount(needs, call.caller);
}

/** Ends all sessions of the person, and begins one for this browser. */
export async function changeOwnPassword(
  needs: OwnAccountNeeds,
  call: Call,
  asked: { readonly current: string; readonly next: string; readonly userAgent: string },
): Promise<SignedIn> {
  const before = await ownAccount(needs, call.caller);
  const { id, name, mail } = before;
  if (before.provider !== undefined) throw signsInByProvider("/new_password");
  await requirePassword(needs, call, { mail, password: asked.current });
  const password = await hashed(needs, call, { password: asked.next, own: [name, mail], pointer: "/new_password" });
  await storeChange(needs, call, { before, change: { ...(password !== undefined && { password }) } });
  const holder = await needs.authenticator.holder(id);
  const { sessionLifetimeMs: lifetimeMs } = needs;
  const session = { ...holder, lifetimeMs, by: "password", replaces: undefined, userAgent: asked.userAgent } as const;
  return await beginSession(needs, call, session);
}

/** A session that began since then shows that its person is there. */
const FRESH_MS = 600_000;

/**
 * That the person is there, and not only an open browser: by the password, or, of who signs in by a provider and has none that counts, by
 * a session that began a moment ago.
 */
export async function requirePresence(
  needs: OwnAccountNeeds,
  call: Call,
  { account, password }: { readonly account: Account; readonly password: string | undefined },
): Promise<void> {
  if (account.provider === undefined) {
    if (password === undefined)
      throw refuse("invalid_body", "the field current_password is missing", { pointer: "/current_password" });
    return await requirePassword(needs, call, { mail: account.mail, password });
  }
  const { sessionId } = call.caller;
  const session = sessionId === undefined ? undefined : await needs.sessions.find(sessionId);
  if (session !== undefined && needs.now() < session.createdAt + FRESH_MS) return;
  const message = "this takes a sign-in of the last 10 minutes; sign out, and sign in by the provider again";
  throw refuse("forbidden", message, { reason: "sign_in_again" });
}

/** A wrong one is a mistake in the form, not the end of the session. */
export async function requirePassword(
  { checkPassword }: Pick<OwnAccountNeeds, "checkPassword">,
  { remoteAddress }: Call,
  given: { readonly mail: string; readonly password: string },
): Promise<void> {
  try {
    await checkPassword(given, remoteAddress);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthorized") throw error;
    throw refuse("invalid_body", "the current password is wrong", { pointer: "/current_password" });
  }
}

/** The person's sign-ins, as the audit log has them; newest first. */
export async function ownSignIns(needs: OwnAccountNeeds, caller: Caller, page: PageRequest): Promise<Page<AuditEntry>> {
  const { id } = await ownAccount(needs, caller);
  // A reader without sites reads what that person did itself.
  const reader = { tokenId: id, sites: new Set<string>() };
  return await needs.audit.list({ reader, actions: ["createSession"], newestFirst: true }, page);
}
