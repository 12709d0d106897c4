// What an OpenID provider says when it has ended a session there (OpenID Connect Back-Channel Logout 1.0), read from the claims of its
// logout token. They count only when a key of the provider has signed them, which `create-identity-provider.ts` checks.
import type { Instant } from "#core/time/instant.ts";
import { type Claims, readSession } from "./provider-person.ts";

/** Of a subject, of one session there, or of both. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly session: string | undefined;
}

export interface ExpectedLogout {
  readonly issuer: string;
  readonly clientId: string;
  readonly now: Instant;
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Such a token is sent at once: an older one is a copy. */
const MAX_AGE_S = 300;
/** Clocks of small machines are not that exact. */
const CLOCK_TOLERANCE_S = 30;
const MAX_SUBJECT_LENGTH = 255;

export function readLogout(claims: Claims, expected: ExpectedLogout): ProviderLogout | { readonly problem: string } {
  const { iss, aud, sub, sid } = claims;
  if (iss !== expected.issuer) return { problem: "it is of another issuer" };
  if (!(Array.isArray(aud) ? aud : [aud]).includes(expected.clientId)) return { problem: "it is for somebody else" };
  const time = timeProblem(claims, expected.now / 1_000);
  if (time !== undefined) return { problem: time };
  if (!isEvent(claims["events"])) return { problem: "it does not say that a session ended" };
  // An ID token has one, and is no logout token.
  if (claims["nonce"] !== undefined) return { problem: "it has a nonce" };
  if (typeof claims["jti"] !== "string") return { problem: "it has no id" };
  const subject = typeof sub === "string" && sub.length <= MAX_SUBJECT_LENGTH && sub !== "" ? sub : undefined;
  const session = readSession(claims);
  if ((sub !== undefined && subject === undefined) || (sid !== undefined && session === undefined))
    return { problem: "it names nobody that can be" };
  if (subject === undefined && session === undefined) return { problem: "it names neither a person nor a session" };
  return { issuer: expected.issuer, subject, session };
}

function timeProblem({ iat, exp }: Claims, now: number): string | undefined {
  if (typeof iat !== "number" || !(iat <= now + CLOCK_TOLERANCE_S))
    return "it is from the future, or does not say when";
  if (!(iat >= now - MAX_AGE_S)) return "it is too old";
  if (exp !== undefined && (typeof exp !== "number" || !(exp > now - CLOCK_TOLERANCE_S))) return "it has expired";
  return undefined;
}

function isEvent(events: unknown): boolean {
  if (typeof events !== "object" || events === null || !Object.hasOwn(events, EVENT)) return false;
  const event = (events as Claims)[EVENT];
  return typeof event === "object" && event !== null;
}
