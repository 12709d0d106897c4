import { refuse } from "#core/app-error.ts";
import { endByProvider, type ProviderLogoutNeeds } from "#service/access/provider-logouts.ts";
import { bytesOperation, type Operation } from "#service/operation/operation.ts";
import { NOTHING } from "#service/operation/wire.ts";

const MAX_FORM_BYTES = 20_000;

export function providerLogoutOperation(needs: ProviderLogoutNeeds): Operation {
  return bytesOperation({
    method: "POST",
    path: "/v3/provider_sign_ins/logout",
    name: "endSessionsByProvider",
    summary: "End sessions: the provider says so",
    description:
      "For the OpenID provider (Back-Channel Logout 1.0): a form with its signed `logout_token`. The sessions that came from the session " +
      "there end, or all sessions of the person, where the token names none. Tokens stay.",
    tag: "Access",
    level: "public",
    body: ["application/x-www-form-urlencoded"],
    answer: NOTHING,
    run: async (call) => {
      await endByProvider(needs, call, logoutToken(call.body));
      return {};
    },
  });
}

function logoutToken(body: Uint8Array): string {
  const form =
    body.length > MAX_FORM_BYTES ? [] : new URLSearchParams(Buffer.from(body).toString()).getAll("logout_token");
  const [token, ...others] = form;
  if (token !== undefined && token !== "" && others.length === 0) return token;
  throw refuse("invalid_body", "send a form with one logout_token", { pointer: "/logout_token" });
}
