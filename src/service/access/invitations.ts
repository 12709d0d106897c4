// A link by which a person chooses a password, once: the first one, or another where it was forgotten. So no owner has to know or
// send a password. Whoever has the link becomes that person: it goes to nobody else.
import { passwordProblem } from "#core/access/password.ts";
import { refuse } from "#core/app-error.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { type AccountNeeds, foundAccount, hashed, requireAbove, signsInByProvider } from "#service/access/accounts.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { accessTarget } from "#service/access/grant.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import type { OwnAccountNeeds } from "#service/access/own-account.ts";
import { beginSecondStep, type SecondStep } from "#service/access/second-step.ts";
import { beginSession, formerSession, type SignedIn } from "#service/access/sign-in.ts";
import type { Call } from "#service/ports.ts";

const LIFETIME_MS = 7 * 86_400_000;
const CODE_BYTES = 32;
const HASH_BYTES = 32;

/** The code is in this answer and nowhere else. */
export async function createInvitation(
  needs: AccountNeeds,
  call: Call,
  id: string,
): Promise<{ readonly code: string; readonly expiresAt: Instant }> {
  const account = await foundAccount(needs, call.caller, id);
  if (account.provider !== undefined) throw signsInByProvider();
  // Whoever has the link becomes this person. A new one has done nothing yet that could be taken over.
  if (account.hasPassword) requireAbove(call.caller, account, "make a link to a new password");
  const code = Buffer.from(needs.randomBytes(CODE_BYTES)).toString("base64url");
  const expiresAt = instant(needs.now() + LIFETIME_MS);
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  const isInvited = await needs.accounts.invite({ accountId: id, hash: secretKey(code), expiresAt }, trail);
  if (!isInvited) throw refuse("conflict", `${account.name} is suspended; let the person in again first`);
  return { code, expiresAt };
}

/** Sets the password, ends all other sessions of the person and begins one. Throws `unauthorized` for a code that is not accepted. */
export async function acceptInvitation(
  needs: OwnAccountNeeds,
  call: Omit<Call, "caller">,
  given: {
    readonly code: string;
    readonly password: string;
    readonly userAgent: string;
    readonly formerCookie: string | undefined;
  },
): Promise<SignedIn | SecondStep> {
  const problem = passwordProblem(given.password);
  if (problem !== undefined) throw refuse("invalid_body", problem, { pointer: "/password" });
  const hash = secretKey(given.code);
  // Looked up before anything is hashed: guesses cost little.
  const invitation = await needs.accounts.findInvitation(hash);
  if (invitation === undefined || needs.now() >= invitation.expiresAt) throw notAccepted();
  const account = await needs.accounts.find(invitation.accountId);
  if (account === undefined || account.suspendedAt !== undefined) throw notAccepted();
  const { id, name, mail } = account;
  const { caller } = await needs.authenticator.holder(id);
  const known = { ...call, caller };
  const password = await hashed(needs, known, { password: given.password, own: [name, mail] });
  const trail = auditTrail(needs, known, { target: accessTarget(account), details: { account: name } });
  const change = { ...(password !== undefined && { password }) };
  const asked = { id, change, at: needs.now(), hash: needs.randomBytes(HASH_BYTES) };
  if ((await needs.accounts.acceptInvitation(hash, asked, trail)) === undefined) throw notAccepted();
  needs.authenticator.forget(id);
  const holder = await needs.authenticator.holder(id);
  // Whoever has the link does not have the app, so the password alone does not let in who has one.
  const second = await beginSecondStep(needs, holder.token);
  if (second !== undefined) return second;
  const former = await formerSession(needs, given.formerCookie);
  const { sessionLifetimeMs: lifetimeMs } = needs;
  const { userAgent } = given;
  const session = { ...holder, lifetimeMs, by: "invitation", replaces: former?.sessionId, userAgent } as const;
  return await beginSession(needs, { ...call, operation: "createSession" }, session);
}

function notAccepted(): Error {
  return refuse("unauthorized", "the invitation was used before, replaced by another one, or is older than 7 days");
}
