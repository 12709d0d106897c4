import { MAX_CODE_LENGTH } from "#core/access/second-factor.ts";
import { renderInstant } from "#core/time/instant.ts";
import { accountAnswer, renderAccount } from "#service/access/account-wire.ts";
import { answerSignedIn } from "#service/access/answer-signed-in.ts";
import {
  beginProviderLink,
  linkProvider,
  type ProviderLinkNeeds,
  unlinkAccount,
  unlinkProvider,
} from "#service/access/provider-links.ts";
import { providerReturn, providerVisit } from "#service/access/provider-sign-in-operations.ts";
import { type SessionCookie, secondsUntil, withCookie } from "#service/access/session-cookie.ts";
import { sessionAnswer } from "#service/access/session-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { strict } from "#service/operation/wire.ts";

const tag = "Access";

const proof = strict("AccountProof", {
  current_password: Type.String({ minLength: 1, maxLength: 256 }),
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH, description: "Of a person with a second factor." }),
  ),
});
const parseProof = ({ current_password: password, code }: Static<typeof proof>) => ({ password, code });

interface OperationNeeds extends ProviderLinkNeeds {
  readonly sessionCookie: SessionCookie;
  /** Of the browser that is at the provider. */
  readonly providerCookie: SessionCookie;
}

export function providerLinkOperations(needs: OperationNeeds): readonly Operation[] {
  const { providerCookie } = needs;
  return [
    operation({
      method: "POST",
      path: "/v3/account/provider/begin",
      name: "beginProviderLink",
      summary: "Begin to link one's own account to the provider",
      description:
        "For pages of this server: the page sends the browser to the address, and a cookie says which browser it is. Takes the password, and the code of a person with a second factor.",
      tag,
      level: "readonly",
      body: proof,
      answer: providerVisit,
      run: async (call) => {
        const { url, browserSecret, expiresAt } = await beginProviderLink(needs, call, parseProof(call.body));
        const cookie = providerCookie.write(browserSecret, secondsUntil(expiresAt, needs.now()), call.isSecure());
        return withCookie({ url, expires_at: renderInstant(expiresAt) }, cookie);
      },
    }),
    operation({
      method: "POST",
      path: "/v3/account/provider",
      name: "linkProvider",
      summary: "Link one's own account to the provider",
      description:
        "For pages of this server: what the provider gave to the browser on its way back, once, in the session that began it. From then on the provider alone signs the person in, and level and sites follow from the groups. Ends all sessions of the person. The answer begins a new one for this browser.",
      tag,
      level: "readonly",
      body: providerReturn,
      answer: sessionAnswer,
      run: async (call) => {
        const given = {
          parameters: call.body.parameters,
          browserSecret: providerCookie.read(call.header("cookie") ?? "", call.isSecure()),
          userAgent: call.header("user-agent") ?? "",
        };
        return answerSignedIn(needs, call, await linkProvider(needs, call, given));
      },
    }),
    operation({
      method: "POST",
      path: "/v3/account/provider/remove",
      name: "unlinkProvider",
      summary: "End the link of one's own account to the provider",
      description:
        "The person signs in by the own password again; without one the link stays. Level and sites stay as they are. Ends all sessions of the person. The answer begins a new one for this browser.",
      tag,
      level: "readonly",
      body: proof,
      answer: sessionAnswer,
      run: async (call) => {
        const asked = { proof: parseProof(call.body), userAgent: call.header("user-agent") ?? "" };
        return answerSignedIn(needs, call, await unlinkProvider(needs, call, asked));
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/accounts/:account_id/provider",
      name: "unlinkAccount",
      summary: "End the link of an account to the provider",
      description:
        "For who is above the person, when the provider is gone. Only an account with a password of its own; ends all sessions of the person.",
      tag,
      level: "owner",
      answer: accountAnswer,
      run: async (call) => ({ account: renderAccount(await unlinkAccount(needs, call, call.params.account_id)) }),
    }),
  ];
}
