import type { Caller } from "#core/access/caller.ts";
import { MAX_SESSIONS_PER_TOKEN, MAX_USER_AGENT_LENGTH, type Session } from "#core/access/session.ts";
import { formatToken, SECRET_BYTES, SESSION_PREFIX } from "#core/access/token.ts";
import { isPerson } from "#core/access/token-record.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { instant } from "#core/time/instant.ts";
import { requireOwnSignIn } from "#service/access/accounts.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Authenticator, TokenHolder } from "#service/access/authenticator.ts";
import { type CheckPassword, type Credentials, wrongCredentials } from "#service/access/check-password.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import { type BeginStepNeeds, beginSecondStep, type SecondStep } from "#service/access/second-step.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { SignInCodes } from "#service/access/sign-in-codes.ts";
import type { SignInPlaces } from "#service/access/sign-in-places.ts";
import type { Call, Needs } from "#service/ports.ts";

/** Longer than any address; a proxy may name anything. */
const MAX_ADDRESS_LENGTH = 100;

export interface SignInNeeds
  extends Pick<Needs, "accounts" | "sessions" | "secondFactors" | "now" | "newId" | "randomBytes">,
    BeginStepNeeds {
  readonly checkPassword: CheckPassword;
  readonly authenticator: Pick<Authenticator, "authenticate" | "holder">;
  readonly openSessions: Pick<Sessions, "forget" | "authenticate">;
  readonly signInCodes: Pick<SignInCodes, "find" | "take">;
  readonly signInPlaces: SignInPlaces;
  readonly sessionLifetimeMs: number;
}

export interface SignIn {
  /** What proves who signs in. */
  readonly by: { readonly token: string } | { readonly code: string } | Credentials;
  readonly userAgent: string;
  /** The cookie that the browser has already. Its session ends with this one. */
  readonly formerCookie: string | undefined;
  /** The person agrees that a code ends the browser's session of another token. */
  readonly mayReplace: boolean;
}

export interface SignedIn {
  readonly session: Session;
  readonly caller: Caller;
  /** The text for the cookie. It is in this answer and nowhere else. */
  readonly text: string;
}

/**
 * Throws `unauthorized` for a token or code that is not accepted, and `conflict` for a code that would replace the session
 * of another token without the person's word: a link that somebody else sent must not change unnoticed as whom they act.
 */
export async function signIn(
  needs: SignInNeeds,
  call: Omit<Call, "caller">,
  input: SignIn,
): Promise<SignedIn | SecondStep> {
  const former = await formerSession(needs, input.formerCookie);
  const holder = await holderOf(needs, call, { ...input, former });
  const second = "mail" in input.by ? await beginSecondStep(needs, holder.token) : undefined;
  if (second !== undefined) return second;
  const by = "token" in input.by ? "token" : "code" in input.by ? "code" : "password";
  return await beginSession(needs, call, { ...holder, by, replaces: former?.sessionId, userAgent: input.userAgent });
}

interface NewSession extends TokenHolder, Pick<SignIn, "userAgent"> {
  readonly lifetimeMs: number;
  readonly by:
    | "token"
    | "code"
    | "password"
    | `${"password" | "provider"} and ${"app" | "recovery code"}`
    | "passkey"
    | "provider"
    | "invitation";
  /** The session of the same browser, which ends with this one. */
  readonly replaces: string | undefined;
  readonly providerSession?: string | undefined;
}

export async function beginSession(
  needs: Omit<SignInNeeds, "checkPassword" | "signInCodes">,
  call: Omit<Call, "caller">,
  { token, caller, lifetimeMs, by, replaces, userAgent, providerSession }: NewSession,
): Promise<SignedIn> {
  const id = needs.newId();
  const text = formatToken(id, needs.randomBytes(SECRET_BYTES), SESSION_PREFIX);
  const now = needs.now();
  const session: Session = {
    id,
    tokenId: token.id,
    tokenHash: token.hash,
    hash: hashSecret(text),
    previousHash: undefined,
    renewedAt: now,
    createdAt: now,
    expiresAt: instant(Math.min(now + lifetimeMs, token.expiresAt ?? Number.POSITIVE_INFINITY)),
    lastUsedAt: now,
    remoteAddress: call.remoteAddress.slice(0, MAX_ADDRESS_LENGTH),
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    providerSession,
  };
  const isNewPlace = isPerson(token) && (await needs.signInPlaces.note(token.id, session.remoteAddress));
  const details = { session_id: id, by, ...(isNewPlace && { new_place: true }) };
  const trail = auditTrail(needs, { ...call, caller }, { target: { tokenId: token.id }, details });
  needs.openSessions.forget(await needs.sessions.insert({ session, replaces, most: MAX_SESSIONS_PER_TOKEN }, trail));
  if (isNewPlace) needs.signInPlaces.mail(token.id, session.remoteAddress);
  return { session, caller: { ...caller, sessionId: id }, text };
}

async function holderOf(
  { accounts, authenticator, signInCodes, checkPassword, sessionLifetimeMs }: SignInNeeds,
  { remoteAddress }: Pick<Call, "remoteAddress">,
  { by, mayReplace, former }: SignIn & { readonly former: Caller | undefined },
): Promise<TokenHolder & { readonly lifetimeMs: number }> {
  if ("mail" in by) {
    const id = await checkPassword(by, remoteAddress);
    const holder = await personBehind(authenticator, id);
    await requireOwnSignIn({ accounts }, id);
    return { ...holder, lifetimeMs: sessionLifetimeMs };
  }
  if ("token" in by) {
    const { tokenId } = await authenticator.authenticate(by.token);
    return { ...(await authenticator.holder(tokenId)), lifetimeMs: sessionLifetimeMs };
  }
  const { tokenId, isForScreen } = await signInCodes.find(by.code);
  const holder = await authenticator.holder(tokenId);
  if (former !== undefined && former.tokenId !== holder.token.id && !mayReplace) throw wouldReplace(former, holder);
  // Only now: whoever does not agree has not used the link up. Of two calls at once the second is refused here.
  await signInCodes.take(by.code);
  const isLong = isForScreen && holder.token.expiresAt !== undefined;
  return { ...holder, lifetimeMs: isLong ? Number.POSITIVE_INFINITY : sessionLifetimeMs };
}

/** A suspended person gets the answer of a wrong password. */
async function personBehind(authenticator: Pick<Authenticator, "holder">, id: string): Promise<TokenHolder> {
  try {
    return await authenticator.holder(id);
  } catch (error) {
    throw error instanceof AppError && error.code === "unauthorized" ? wrongCredentials() : error;
  }
}

function wouldReplace(former: Caller, { caller }: TokenHolder): Error {
  return refuse(
    "conflict",
    `this browser is signed in with the token ${former.tokenName}, and the link is of the token ${caller.tokenName}; ` +
      "to replace the session, send replace: true",
    { pointer: "/replace", token_name: caller.tokenName, level: caller.level },
  );
}

/** The session that a browser has already. */
export async function formerSession(
  { openSessions }: Pick<SignInNeeds, "openSessions">,
  cookie: string | undefined,
): Promise<Caller | undefined> {
  if (cookie === undefined) return undefined;
  try {
    return (await openSessions.authenticate(cookie, false)).caller;
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthorized") return undefined;
    throw error;
  }
}
