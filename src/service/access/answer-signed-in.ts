import { type SessionCookie, secondsUntil, withCookie } from "#service/access/session-cookie.ts";
import { renderSession } from "#service/access/session-wire.ts";
import type { SignedIn } from "#service/access/sign-in.ts";
import type { RawAnswer } from "#service/operation/answer.ts";
import type { Way } from "#service/operation/operation.ts";
import type { Needs } from "#service/ports.ts";

/** Who is signed in now, with the cookie of the new session. */
export function answerSignedIn(
  { sessionCookie, now }: Pick<Needs, "now"> & { readonly sessionCookie: SessionCookie },
  { isSecure }: Pick<Way, "isSecure">,
  { session, caller, text }: SignedIn,
): RawAnswer {
  const { tokenName: name, level, sites, accountId } = caller;
  const cookie = sessionCookie.write(text, secondsUntil(session.expiresAt, now()), isSecure());
  return withCookie(
    { session: renderSession(session, { name, level, sites, ...(accountId !== undefined && { accountId }) }) },
    cookie,
  );
}
