import { renderInstant } from "#core/time/instant.ts";
import { newPassword } from "#service/access/account-wire.ts";
import { answerSignIn } from "#service/access/answer-signed-in.ts";
import type { AfterWrongCode } from "#service/access/attempt-limits.ts";
import { acceptInvitation, createInvitation } from "#service/access/invitations.ts";
import type { OwnAccountNeeds } from "#service/access/own-account.ts";
import type { SessionCookie } from "#service/access/session-cookie.ts";
import { signInAnswer } from "#service/access/session-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { strict, timestamp } from "#service/operation/wire.ts";

const tag = "Access";

export function invitationOperations(
  needs: OwnAccountNeeds & { readonly sessionCookie: SessionCookie; readonly afterWrongCode: AfterWrongCode },
): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/accounts/:account_id/invitation",
      name: "createInvitation",
      summary: "Invite a person",
      description:
        "A code for a link by which the person chooses a password, once and within 7 days. It replaces an earlier one. " +
        "Whoever has the link becomes that person.",
      tag,
      level: "owner",
      answer: strict("Invitation", {
        code: Type.String({ description: "For the link /sign-in#invitation=... of the page. It is shown this once." }),
        expires_at: timestamp,
      }),
      run: async (call) => {
        const { code, expiresAt } = await createInvitation(needs, call, call.params.account_id);
        return { code, expires_at: renderInstant(expiresAt) };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/invitations/accept",
      name: "acceptInvitation",
      summary: "Accept an invitation",
      description:
        "For pages of this server: sets the person's password, and signs the person in, or asks a person with a second factor for a code, as `createSession` does. The browser's former session ends.",
      tag,
      level: "public",
      ownPageOnly: true,
      body: strict("AcceptedInvitation", {
        code: Type.String({ minLength: 1, maxLength: 200, description: "Of the link." }),
        password: newPassword,
      }),
      answer: signInAnswer,
      run: async (call) => {
        const formerCookie = needs.sessionCookie.read(call.header("cookie") ?? "", call.isSecure());
        const given = { ...call.body, formerCookie, userAgent: call.header("user-agent") ?? "" };
        const signedIn = await acceptInvitation(needs, call, given).catch(async (error: unknown) => {
          throw await needs.afterWrongCode(call.remoteAddress, error);
        });
        return answerSignIn(needs, call, signedIn);
      },
    }),
  ];
}
