import type { Config } from "#config";
import { toMilliseconds } from "#core/time/duration.ts";
import type { Foundation } from "#role/foundation.ts";
import type { SignInProvider } from "#service/access/provider-round-trip.ts";

/** Undefined: no provider is configured. Nothing is asked of one before somebody signs in. */
export async function openIdentityProvider(
  { oidc }: Pick<Config, "oidc">,
  now: Foundation["now"],
): Promise<SignInProvider | undefined> {
  const { issuer, clientId, clientSecret, address, scopes, groupsClaim, groups: groupRules } = oidc;
  if (issuer === undefined || clientId === undefined || address === undefined) return undefined;
  // With its library, which nobody else needs.
  const outbound = await import("#outbound/identity/create-identity-provider.ts");
  const provider = outbound.createIdentityProvider({
    ...{ issuer, clientId, clientSecret: clientSecret?.reveal(), scopes, now },
    acrValues: oidc.secondFactor.filter((proof) => proof.startsWith("acr=")).map((proof) => proof.slice(4)),
    ...{ redirectUri: `${address}/sign-in/return`, timeoutMs: outbound.PROVIDER_TIMEOUT_MS },
  });
  const name = oidc.name ?? new URL(issuer).hostname;
  const sessionLifetimeMs = toMilliseconds(oidc.session);
  const { newPeople: takesNewPeople, secondFactor } = oidc;
  return { provider, name, address, groupsClaim, groupRules, takesNewPeople, sessionLifetimeMs, secondFactor };
}
