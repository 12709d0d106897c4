// Sign-in by an OpenID provider.
import { admitPerson } from "#service/access/admit-person.ts";
import {
  type BegunRoundTrip,
  beginRoundTrip,
  finishRoundTrip,
  type ProviderSignInNeeds,
  required,
} from "#service/access/provider-round-trip.ts";
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
): Promise<SignedIn> {
  const person = await finishRoundTrip(needs, call, { ...given, purpose: "sign in" });
  const { id } = await admitPerson(needs, call, { person, admission: required(needs) });
  const former = await formerSession(needs, given.formerCookie);
  const { userAgent } = given;
  return await beginProviderSession(needs, call, { id, replaces: former?.sessionId, userAgent });
}

/** Short: groups are read at sign-ins only. */
export async function beginProviderSession(
  needs: ProviderSignInNeeds,
  call: Omit<Call, "caller">,
  {
    id,
    replaces,
    userAgent,
  }: { readonly id: string; readonly replaces: string | undefined; readonly userAgent: string },
): Promise<SignedIn> {
  const holder = await needs.authenticator.holder(id);
  const lifetimeMs = Math.min(required(needs).sessionLifetimeMs, needs.sessionLifetimeMs);
  const session = { ...holder, lifetimeMs, by: "provider", replaces, userAgent } as const;
  return await beginSession(needs, { ...call, operation: "createSession" }, session);
}
