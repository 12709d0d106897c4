import type { ProviderLogout } from "#core/access/provider-logout.ts";
import type { Claims } from "#core/access/provider-person.ts";

/** What one sign-in keeps to itself. The browser carries the first two to the provider and back; nobody else sees the third. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE: who has the code from the way back alone cannot use it. */
  readonly verifier: string;
}

/** `declined`: the provider says no. `refused`: what came back is not right. `unreachable`: the provider does not do its part. */
export interface ProviderFailure {
  readonly kind: "declined" | "refused" | "unreachable";
  /** Without secrets. */
  readonly error: string;
}

/** The OpenID provider that signs people in. No call rejects. */
export interface IdentityProvider {
  /** Where the browser is sent. */
  authorizationUrl(secrets: SignInSecrets): Promise<{ readonly url: string } | ProviderFailure>;
  /** Who came back, by the parameters that the browser brought along; everything that can be checked was checked. */
  finish(
    parameters: URLSearchParams,
    secrets: SignInSecrets,
  ): Promise<{ readonly issuer: string; readonly claims: Claims } | ProviderFailure>;
  /** Who has signed out there, by the token that the provider sent; everything that can be checked was checked. */
  readLogout(token: string): Promise<ProviderLogout | ProviderFailure>;
  /** Where the browser ends its session with the provider; undefined: the provider has no such page, or does not answer. */
  endSessionUrl(): Promise<string | undefined>;
}
