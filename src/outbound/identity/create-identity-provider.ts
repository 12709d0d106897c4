// Sign-in by an OpenID provider: authorization code with PKCE, state, nonce and the issuer of the answer. The library checks what the
// standards ask for; what is added here are time limits, the size of answers, and that the signature of the ID token is checked, too.
import * as openid from "openid-client";
import { readLogout } from "#core/access/provider-logout.ts";
import type { Claims } from "#core/access/provider-person.ts";
import { connectionWords } from "#core/net/connection-words.ts";
import { instant } from "#core/time/instant.ts";
import type { IdentityProvider, ProviderFailure } from "#service/ports/identity-provider.ts";
import { cappedFetch, LongAnswer } from "./capped-fetch.ts";
import { createProviderKeys } from "./provider-keys.ts";
import { readToken } from "./signed-claims.ts";

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a client that proves itself by PKCE alone. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** Where the browser comes back. Never taken from a request. */
  readonly redirectUri: string;
  /** What the provider is asked for: any of these. Empty: whatever it does. */
  readonly acrValues: readonly string[];
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** Each answer of the provider. */
export const PROVIDER_TIMEOUT_MS = 8_000;
/** What the provider says about itself is read again after this time, and after a failure not before this one. */
const KNOWN_FOR_MS = 3_600_000;
const PAUSE_MS = 2_000;
/** Clocks of small machines are not that exact. */
const CLOCK_TOLERANCE_S = 30;
const ATTEMPTS = 2;

interface Known {
  readonly config: Promise<openid.Configuration>;
  readonly askedAt: number;
  hasFailed: boolean;
}

export function createIdentityProvider(settings: ProviderSettings): IdentityProvider {
  const { redirectUri, scopes, acrValues, now } = settings;
  const keys = createProviderKeys(settings);
  let known: Known | undefined;

  /** All that ask at once share one attempt, and one failure for a short while: a provider that is away is not flooded. */
  function configuration(): Promise<openid.Configuration> {
    const age = known === undefined ? 0 : now() - known.askedAt;
    const isOver = known === undefined || age < 0 || age > (known.hasFailed ? PAUSE_MS : KNOWN_FOR_MS);
    if (!isOver && known !== undefined) return known.config;
    const asked: Known = { config: discover(settings), askedAt: now(), hasFailed: false };
    asked.config.catch(() => {
      asked.hasFailed = true;
    });
    known = asked;
    return asked.config;
  }

  return {
    async authorizationUrl({ state, nonce, verifier }) {
      try {
        const url = openid.buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: scopes,
          state,
          nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
        });
        return { url: url.href };
      } catch (error) {
        // Nobody has done anything yet that could be wrong.
        return { ...failureOf(error), kind: "unreachable" };
      }
    },
    async finish(parameters, { state, nonce, verifier }) {
      try {
        const config = await configuration();
        const back = new URL(redirectUri);
        back.search = parameters.toString();
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const tokens = await openid.authorizationCodeGrant(config, back, checks);
        const claims = tokens.claims();
        if (claims === undefined) return { kind: "refused", error: "the provider sent no ID token" };
        return { issuer: claims.iss, claims: await withUserInfo(config, tokens.access_token, claims) };
      } catch (error) {
        return failureOf(error);
      }
    },
    async readLogout(text) {
      const token = readToken(text);
      if (token === undefined) return { kind: "refused", error: "it is no signed token" };
      // First what costs nothing: the provider is asked for its keys for its own tokens only.
      const expected = { issuer: settings.issuer, clientId: settings.clientId, now: instant(now()) };
      const logout = readLogout(token.claims, expected);
      if ("problem" in logout) return { kind: "refused", error: logout.problem };
      try {
        const { jwks_uri: address } = (await configuration()).serverMetadata();
        const isSigned = address !== undefined && (await keys.haveSigned(token, address));
        return isSigned ? logout : { kind: "refused", error: "no key of the provider signed it" };
      } catch (error) {
        return { ...failureOf(error), kind: "unreachable" };
      }
    },
    async endSessionUrl() {
      try {
        const config = await configuration();
        if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
        const back = { post_logout_redirect_uri: new URL("/sign-in", redirectUri).href };
        return openid.buildEndSessionUrl(config, back).href;
      } catch {
        return undefined;
      }
    },
  };
}

async function discover(settings: ProviderSettings): Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret, timeoutMs } = settings;
  const url = new URL(issuer);
  const options = {
    [openid.customFetch]: cappedFetch as openid.CustomFetch,
    timeout: timeoutMs / 1_000,
    // The settings allow such an address within this machine only.
    execute: [openid.enableNonRepudiationChecks, ...(url.protocol === "http:" ? [openid.allowInsecureRequests] : [])],
  };
  const client = { [openid.clockTolerance]: CLOCK_TOLERANCE_S };
  const auth = clientSecret === undefined ? openid.None() : withSecret(clientSecret);
  for (let attempt = 1; ; attempt++) {
    try {
      return await openid.discovery(url, clientId, client, auth, options);
    } catch (error) {
      // A connection that broke is tried once more; whatever was answered stays.
      if (attempt >= ATTEMPTS || !(error instanceof TypeError)) throw error;
    }
  }
}

/** As the provider takes it; by the standard, in a header unless it says otherwise. */
function withSecret(secret: string): openid.ClientAuth {
  const [inHeader, inBody] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isBodyOnly = !ways.includes("client_secret_basic") && ways.includes("client_secret_post");
    return (isBodyOnly ? inBody : inHeader)(server, client, body, headers);
  };
}

/** Most providers put little into the ID token. What the token says counts more: it is signed. */
async function withUserInfo(
  config: openid.Configuration,
  accessToken: string,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const more = await openid.fetchUserInfo(config, accessToken, claims.sub);
  // How somebody was signed in, and in which session, is what the token says, or nothing.
  return { ...more, acr: undefined, amr: undefined, sid: undefined, ...claims };
}

/** What a provider or a browser wrote is quoted only where it is one of the words that the standards use. */
const STANDARD_WORD = /^[a-z_]{1,60}$/;
const quoted = (text: unknown) => (typeof text === "string" && STANDARD_WORD.test(text) ? text : "an error");

const AWAY: readonly unknown[] = [
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
];

function failureOf(error: unknown): ProviderFailure {
  const cause = error instanceof Error ? error.cause : undefined;
  for (const one of [error, cause]) {
    if (one instanceof LongAnswer) return { kind: "unreachable", error: one.message };
  }
  if (error instanceof openid.AuthorizationResponseError) {
    return { kind: "declined", error: `the provider answered ${quoted(error.error)}` };
  }
  if (error instanceof openid.ResponseBodyError || error instanceof openid.WWWAuthenticateChallengeError) {
    const word = error instanceof openid.ResponseBodyError ? quoted(error.error) : `${error.status}`;
    // A code that was used or is too old is the browser's; everything else is about this client or the provider.
    return { kind: word === "invalid_grant" ? "refused" : "unreachable", error: `the provider answered ${word}` };
  }
  if (error instanceof openid.ClientError) {
    return { kind: AWAY.includes(error.code) ? "unreachable" : "refused", error: error.message };
  }
  return { kind: "unreachable", error: connectionWords(cause ?? error) };
}
