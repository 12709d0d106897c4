// The way of a browser to an OpenID provider and back. The browser is sent there with a state that is good once, for minutes, and only
// together with a cookie of this browser; so a link that somebody else made does nothing. What has to stay secret until the browser is back
// is not stored: it is made of the state and the cookie, by a key that all nodes have.
import { type ProviderPerson, readProviderPerson } from "#core/access/provider-person.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { AccountNeeds } from "#service/access/accounts.ts";
import type { Admission } from "#service/access/admit-person.ts";
import {
  type AfterWrongCode,
  type AttemptLimit,
  type AttemptLimits,
  tooManyAttempts,
} from "#service/access/attempt-limits.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import type { SignInNeeds } from "#service/access/sign-in.ts";
import type { IdentityProvider, ProviderFailure, SignInSecrets } from "#service/ports/identity-provider.ts";
import type { Call, Needs } from "#service/ports.ts";

const LIFETIME_MS = 600_000;
const SECRET_BYTES = 32;
/** Of one address, in that time; and of all together. */
const MAX_OF_ADDRESS = 60;
const MAX_OPEN = 5_000;
const BEGUN: AttemptLimit = { name: "provider", most: MAX_OF_ADDRESS, windowMs: LIFETIME_MS };
const RETRY_S = 30;

/** As the operator configured it. */
export interface SignInProvider extends Admission {
  readonly provider: IdentityProvider;
  /** As people know it. */
  readonly name: string;
  /** Of the page, as people reach it. The browser comes back there, wherever it came from. */
  readonly address: string;
  readonly groupsClaim: string;
  readonly sessionLifetimeMs: number;
  /** What the provider says of a sign-in with two factors, such as `amr=mfa`. Then no code is asked for here. */
  readonly secondFactor: readonly string[];
}

export interface ProviderSignInNeeds
  extends Omit<AccountNeeds, "authenticator">,
    Pick<Needs, "providerSignIns" | "seal">,
    Omit<SignInNeeds, "authenticator" | "checkPassword" | "signInCodes"> {
  readonly authenticator: Pick<Authenticator, "forget" | "lastUse" | "authenticate" | "holder">;
  readonly attemptLimits: AttemptLimits;
  readonly afterWrongCode: AfterWrongCode;
  /** Undefined: people sign in here alone. */
  readonly signInProvider: SignInProvider | undefined;
  readonly log: { warn(details: object, message: string): void };
}

/**
 * What the browser goes there for. A way that was begun for one thing is none for another: the purpose is a part of what the browser
 * has to bring back.
 */
export type RoundTripPurpose = "sign in" | { readonly linkOfSession: string };

export interface BegunRoundTrip {
  readonly url: string;
  /** For the cookie of the browser. It is in this answer and nowhere else. */
  readonly browserSecret: string;
  readonly expiresAt: Instant;
}

export async function beginRoundTrip(
  needs: ProviderSignInNeeds,
  { remoteAddress }: Pick<Call, "remoteAddress">,
  purpose: RoundTripPurpose,
): Promise<BegunRoundTrip> {
  const { provider } = required(needs);
  const block = addressBlock(remoteAddress);
  const { over } = await needs.attemptLimits.note([BEGUN, block]);
  if (over !== undefined) throw tooManyAttempts("sign-ins were begun from this address", over.wait);
  const [state, browserSecret] = [newSecret(needs), newSecret(needs)];
  const begun = await provider.authorizationUrl(secretsOf(needs, state, browserSecret));
  if ("error" in begun) throw failed(needs, begun);
  const createdAt = needs.now();
  const expiresAt = instant(createdAt + LIFETIME_MS);
  const isStored = await needs.providerSignIns.insert({
    ...{
      stateKey: secretKey(state),
      browserKey: browserKeyOf(browserSecret, purpose),
      addressBlock: block,
      createdAt,
      expiresAt,
    },
    ...{ mostOfAddress: MAX_OF_ADDRESS, most: MAX_OPEN },
  });
  if (!isStored) {
    throw new AppError(
      [{ code: "overloaded", message: `too many sign-ins are open; try again in ${RETRY_S} s` }],
      RETRY_S,
    );
  }
  return { url: begun.url, browserSecret, expiresAt };
}

export interface ProviderReturn {
  /** As the provider gave them to the browser. */
  readonly parameters: string;
  readonly browserSecret: string | undefined;
  readonly purpose: RoundTripPurpose;
}

/** Who came back. Throws `unauthorized` when the browser did not begin this way for this purpose, or has come back before. */
export async function finishRoundTrip(
  needs: ProviderSignInNeeds,
  { remoteAddress }: Pick<Call, "remoteAddress">,
  given: ProviderReturn,
): Promise<ProviderPerson> {
  const { provider, groupsClaim } = required(needs);
  const parameters = new URLSearchParams(given.parameters);
  const secrets = await taken(needs, parameters, given).catch(async (error: unknown) => {
    throw await needs.afterWrongCode(remoteAddress, error);
  });
  const finished = await provider.finish(parameters, secrets);
  if ("error" in finished) throw failed(needs, finished);
  const person = readProviderPerson(finished.issuer, finished.claims, groupsClaim);
  if (person === undefined) throw failed(needs, { kind: "refused", error: "the provider does not say who it is" });
  return person;
}

const browserKeyOf = (browserSecret: string, purpose: RoundTripPurpose): string =>
  secretKey(purpose === "sign in" ? browserSecret : `${browserSecret} link ${purpose.linkOfSession}`);

/** Uses the sign-in up before anything else is done with it: what comes a second time is nothing. */
async function taken(
  needs: ProviderSignInNeeds,
  parameters: URLSearchParams,
  { browserSecret, purpose }: Pick<ProviderReturn, "browserSecret" | "purpose">,
): Promise<SignInSecrets> {
  const [state, ...others] = parameters.getAll("state");
  if (state === undefined || others.length > 0 || browserSecret === undefined) throw over();
  const key = { stateKey: secretKey(state), browserKey: browserKeyOf(browserSecret, purpose) };
  if (!(await needs.providerSignIns.take(key, needs.now()))) throw over();
  return secretsOf(needs, state, browserSecret);
}

const newSecret = ({ randomBytes }: Pick<Needs, "randomBytes">): string =>
  Buffer.from(randomBytes(SECRET_BYTES)).toString("base64url");

function secretsOf({ seal }: Pick<Needs, "seal">, state: string, browserSecret: string): SignInSecrets {
  const made = (what: string) =>
    Buffer.from(seal.fingerprint(`${state} ${browserSecret}`, `provider ${what}`)).toString("base64url");
  return { state, nonce: made("nonce"), verifier: made("verifier") };
}

export function required({ signInProvider }: Pick<ProviderSignInNeeds, "signInProvider">): SignInProvider {
  if (signInProvider !== undefined) return signInProvider;
  throw refuse("not_available", "nobody signs in by a provider here; the setting oidc.issuer names one");
}

/** The log has what only the operator can change. */
export function failed({ log }: Pick<ProviderSignInNeeds, "log">, { kind, error }: ProviderFailure): AppError {
  if (kind === "declined") return refuse("forbidden", `${error}, so you are not signed in`, { reason: "declined" });
  log.warn({ reason: error }, "a sign-in by the provider failed");
  if (kind === "refused")
    return refuse("forbidden", `what the provider sent is not accepted: ${error}`, { reason: "refused" });
  return refuse("provider_unreachable", `the provider cannot sign anybody in now: ${error}`);
}

function over(): AppError {
  const message = "this sign-in is over: it was begun in another browser, finished before, or more than 10 minutes ago";
  return refuse("unauthorized", `${message}; begin again`);
}
