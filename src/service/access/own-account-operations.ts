import {
  accountAnswer,
  newPassword,
  ownAccountChangeSchema,
  parseOwnChange,
  renderAccount,
  renderSignIn,
  signInEntrySchema,
} from "#service/access/account-wire.ts";
import { answerSignedIn } from "#service/access/answer-signed-in.ts";
import {
  changeOwnAccount,
  changeOwnPassword,
  type OwnAccountNeeds,
  ownAccount,
  ownSignIns,
} from "#service/access/own-account.ts";
import type { SessionCookie } from "#service/access/session-cookie.ts";
import { sessionAnswer } from "#service/access/session-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, renderPage, strict } from "#service/operation/wire.ts";

const tag = "Access";

export function ownAccountOperations(
  needs: OwnAccountNeeds & { readonly sessionCookie: SessionCookie },
): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/account",
      name: "getOwnAccount",
      summary: "Read one's own account",
      description: "Of the person who is signed in. A call with a token has none: 404.",
      tag,
      level: "readonly",
      answer: accountAnswer,
      run: async ({ caller }) => ({ account: renderAccount(await ownAccount(needs, caller)) }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/account",
      name: "updateOwnAccount",
      summary: "Change one's own account",
      tag,
      level: "readonly",
      body: ownAccountChangeSchema,
      answer: accountAnswer,
      run: async (call) => ({
        account: renderAccount(await changeOwnAccount(needs, call, parseOwnChange(call.body))),
      }),
    }),
    operation({
      method: "POST",
      path: "/v3/account/password",
      name: "changeOwnPassword",
      summary: "Change one's own password",
      description: "Ends all sessions of the person. The answer begins a new one for this browser.",
      tag,
      level: "readonly",
      body: strict("PasswordChange", {
        current_password: Type.String({ minLength: 1, maxLength: 256 }),
        new_password: newPassword,
      }),
      answer: sessionAnswer,
      run: async (call) => {
        const { current_password: current, new_password: next } = call.body;
        const asked = { current, next, userAgent: call.header("user-agent") ?? "" };
        return answerSignedIn(needs, call, await changeOwnPassword(needs, call, asked));
      },
    }),
    operation({
      method: "GET",
      path: "/v3/account/sign_ins",
      name: "listOwnSignIns",
      summary: "List one's own sign-ins",
      description: "Newest first, as long as the audit log is kept. Ended sessions are among them.",
      tag,
      level: "readonly",
      query: paging,
      answer: listAnswer("sign_ins", signInEntrySchema),
      run: async ({ caller, query }) =>
        renderPage("sign_ins", await ownSignIns(needs, caller, pageOf(query)), renderSignIn),
    }),
  ];
}
