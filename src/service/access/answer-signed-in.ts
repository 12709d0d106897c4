import { factorUri } from "#core/access/second-factor.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { NewFactor, SecondStep } from "#service/access/second-step.ts";
import { type SessionCookie, secondsUntil, withCookie } from "#service/access/session-cookie.ts";
import { renderSession } from "#service/access/session-wire.ts";
import type { SignedIn } from "#service/access/sign-in.ts";
import type { RawAnswer } from "#service/operation/answer.ts";
import type { Way } from "#service/operation/operation.ts";
import type { Needs } from "#service/ports.ts";

type AnswerNeeds = Pick<Needs, "now"> & { readonly sessionCookie: SessionCookie };

/** Who is signed in now, with the cookie of the new session. */
export function answerSignedIn(needs: AnswerNeeds, way: Pick<Way, "isSecure">, signedIn: SignedIn): RawAnswer {
  return withCookie({ session: rendered(signedIn) }, cookieOf(needs, way, signedIn));
}

/** The same, or what is still missing; then the browser keeps the cookie that it has. */
export function answerSignIn(
  needs: AnswerNeeds,
  way: Pick<Way, "isSecure" | "header">,
  result: SignedIn | SecondStep,
): RawAnswer | object {
  if ("step" in result) {
    const { step, expiresAt, enrolment } = result;
    const offer = enrolment === undefined ? null : renderNewFactor(way, enrolment);
    return { session: null, second_factor: { step, expires_at: renderInstant(expiresAt), enrolment: offer } };
  }
  return withCookie({ session: rendered(result), second_factor: null }, cookieOf(needs, way, result));
}

/** The app names the entry by the address of the page. */
export function renderNewFactor({ header }: Pick<Way, "header">, { secret, mail }: NewFactor) {
  const issuer = `Busbar ${(header("host") ?? "").slice(0, 60)}`.trim();
  return { secret, uri: factorUri(secret, { issuer, mail }) };
}

export function rendered({ session, caller: { tokenName: name, ...caller } }: SignedIn) {
  return renderSession(session, { ...caller, name });
}

export function cookieOf(
  { sessionCookie, now }: AnswerNeeds,
  { isSecure }: Pick<Way, "isSecure">,
  signedIn: SignedIn,
): string {
  const { session, text } = signedIn;
  return sessionCookie.write(text, secondsUntil(session.expiresAt, now()), isSecure());
}
