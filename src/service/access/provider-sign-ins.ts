// Sign-in by an OpenID provider.
import { admitPerson } from "#service/access/admit-person.ts";
import {
  type BegunRoundTrip,
  beginRoundTrip,
  finishRoundTrip,
  type ProviderSignInNeeds,
  required,
} from "#service/access/provider-round-trip.ts";
import { beginSecondStep, type SecondStep } from "#service/access/second-step.ts";
import { beginSession, formerSession, type SignedIn } from "#service/access/sign-in.ts";
import type { Call } from "#service/ports.ts";

export async function beginProviderSignIn(
  needs: ProviderSignInNeeds,
  call: Pick<Call, "remoteAddress">,
): Promise<BegunRoundTrip> {
  return await beginRoundTrip(needs, call, "sign in");
}

/** What a browser brings back from a provider. */
export interface BroughtBack {
  /** As the provider gave them to the browser. */
  readonly parameters: string;
  readonly browserSecret: string | undefined;
  readonly userAgent: string;
  readonly formerCookie: string | undefined;
}

export async function finishProviderSignIn(
  needs: ProviderSignInNeeds,
  call: Omit<Call, "caller">,
  given: BroughtBack,
): Promise<SignedIn | SecondStep> {
  const provider = required(needs);
  const person = await finishRoundTrip(needs, call, { ...given, purpose: "sign in" });
  const { id } = await admitPerson(needs, call, { person, admission: provider });
  if (!provider.secondFactor.some((proof) => person.proofs.includes(proof))) {
    const { token } = await needs.authenticator.holder(id);
    const second = await beginSecondStep(needs, token, person.session);
    if (second !== undefined) return second;
  }
  const former = await formerSession(needs, given.formerCookie);
  const { userAgent } = given;
  const providerSession = person.session;
  return await beginProviderSession(needs, call, { id, replaces: former?.sessionId, userAgent, providerSession });
}

interface NewProviderSession {
  readonly id: string;
  readonly replaces: string | undefined;
  readonly userAgent: string;
  readonly providerSession: string | undefined;
}

/** Short: groups are read at sign-ins only. */
export async function beginProviderSession(
  needs: ProviderSignInNeeds,
  call: Omit<Call, "caller">,
  { id, ...browser }: NewProviderSession,
): Promise<SignedIn> {
  const holder = await needs.authenticator.holder(id);
  const lifetimeMs = Math.min(required(needs).sessionLifetimeMs, needs.sessionLifetimeMs);
  const session = { ...holder, ...browser, lifetimeMs, by: "provider" } as const;
  return await beginSession(needs, { ...call, operation: "createSession" }, session);
}
