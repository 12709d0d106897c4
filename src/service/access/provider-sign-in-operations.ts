import { renderInstant } from "#core/time/instant.ts";
import { answerSignIn } from "#service/access/answer-signed-in.ts";
import type { ProviderSignInNeeds } from "#service/access/provider-round-trip.ts";
import { beginProviderSignIn, finishProviderSignIn } from "#service/access/provider-sign-ins.ts";
import { type SessionCookie, secondsUntil, withCookie } from "#service/access/session-cookie.ts";
import { signInAnswer } from "#service/access/session-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { nullable, strict, timestamp } from "#service/operation/wire.ts";

const tag = "Access";

/** Codes and states of providers are long. */
const MAX_PARAMETERS_LENGTH = 8_000;

export const providerVisit = strict("ProviderSignIn", {
  url: Type.String({ description: "At the provider." }),
  expires_at: timestamp,
});

export const providerReturn = strict("ProviderReturn", {
  parameters: Type.String({
    minLength: 1,
    maxLength: MAX_PARAMETERS_LENGTH,
    description: "All parameters of the address that the browser came back to.",
  }),
});

interface OperationNeeds extends ProviderSignInNeeds {
  readonly sessionCookie: SessionCookie;
  /** Of the browser that is at the provider. */
  readonly providerCookie: SessionCookie;
}

export function providerSignInOperations(needs: OperationNeeds): readonly Operation[] {
  const { sessionCookie, providerCookie } = needs;
  return [
    operation({
      method: "GET",
      path: "/v3/provider_sign_ins/provider",
      name: "findSignInProvider",
      summary: "The provider that signs people in",
      description: "For pages of this server. Null: people sign in here alone.",
      tag,
      level: "public",
      ownPageOnly: true,
      answer: Type.Object(
        {
          provider: nullable(
            strict("SignInProvider", {
              name: Type.String({ description: "As people know it." }),
              address: Type.String({ description: "Of the page. Only there the sign-in can begin and end." }),
            }),
          ),
        },
        { additionalProperties: false },
      ),
      run: async () => {
        const { name, address } = needs.signInProvider ?? {};
        return { provider: name === undefined || address === undefined ? null : { name, address } };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/provider_sign_ins",
      name: "createProviderSignIn",
      summary: "Begin to sign in by the provider",
      description:
        "For pages of this server: the page sends the browser to the address, and a cookie says which browser it is.",
      tag,
      level: "public",
      ownPageOnly: true,
      answer: providerVisit,
      run: async (call) => {
        const { url, browserSecret, expiresAt } = await beginProviderSignIn(needs, call);
        const cookie = providerCookie.write(browserSecret, secondsUntil(expiresAt, needs.now()), call.isSecure());
        return withCookie({ url, expires_at: renderInstant(expiresAt) }, cookie);
      },
    }),
    operation({
      method: "POST",
      path: "/v3/provider_sign_ins/finish",
      name: "finishProviderSignIn",
      summary: "Sign in by the provider",
      description:
        "For pages of this server: what the provider gave to the browser on its way back, once. The person's level and sites follow from the groups. A person with a second factor, or who has to have one, is asked for a code, as `createSession` does.",
      tag,
      level: "public",
      ownPageOnly: true,
      body: providerReturn,
      answer: signInAnswer,
      run: async (call) => {
        const cookies = call.header("cookie") ?? "";
        const given = {
          parameters: call.body.parameters,
          browserSecret: providerCookie.read(cookies, call.isSecure()),
          formerCookie: sessionCookie.read(cookies, call.isSecure()),
          userAgent: call.header("user-agent") ?? "",
        };
        return answerSignIn(needs, call, await finishProviderSignIn(needs, call, given));
      },
    }),
    operation({
      method: "GET",
      path: "/v3/provider_sign_ins/sign_out",
      name: "findProviderSignOut",
      summary: "Where to sign out at the provider",
      description: "For pages of this server. Null: the provider has no such page, or does not answer.",
      tag,
      level: "public",
      ownPageOnly: true,
      answer: Type.Object({ url: nullable(Type.String()) }, { additionalProperties: false }),
      run: async () => ({ url: (await needs.signInProvider?.provider.endSessionUrl()) ?? null }),
    }),
  ];
}
