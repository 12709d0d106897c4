import { MAX_CODE_LENGTH, RECOVERY_CODES } from "#core/access/second-factor.ts";
import { renderInstant } from "#core/time/instant.ts";
import { cookieOf, rendered, renderNewFactor } from "#service/access/answer-signed-in.ts";
import type { AfterWrongCode } from "#service/access/attempt-limits.ts";
import { finishSignIn, type SecondStepNeeds } from "#service/access/finish-sign-in.ts";
import {
  confirmSecondFactor,
  offerSecondFactor,
  ownSecondFactor,
  removeSecondFactor,
  replaceRecoveryCodes,
  resetSecondFactor,
  type SecondFactorNeeds,
} from "#service/access/second-factor.ts";
import { type SessionCookie, withCookie } from "#service/access/session-cookie.ts";
import { factorOffer, sessionSchema } from "#service/access/session-wire.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { described, NOTHING, nullable, strict, timestamp } from "#service/operation/wire.ts";

const tag = "Access";
const code = Type.String({
  minLength: 1,
  maxLength: MAX_CODE_LENGTH,
  description: "Six digits of the app, or a recovery code. Each works once.",
});
const currentPassword = Type.String({
  minLength: 1,
  maxLength: 256,
  description: "Of who signs in by a provider: none. A sign-in of the last 10 minutes takes its place.",
});
const proof = strict("SecondFactorProof", { current_password: Type.Optional(currentPassword), code });
const codes = Type.Array(Type.String(), {
  minItems: RECOVERY_CODES,
  maxItems: RECOVERY_CODES,
  description: "Each works once in place of a code of the app. They are shown this once.",
});
const recoveryCodes = described("RecoveryCodes", "Codes for when the app is gone.", { recovery_codes: codes });
const factor = described("SecondFactor", "What sign-in asks a person for after the password.", {
  confirmed_at: timestamp,
  recovery_codes_left: Type.Integer({ minimum: 0 }),
});

type OperationNeeds = SecondFactorNeeds &
  SecondStepNeeds & { readonly sessionCookie: SessionCookie; readonly afterWrongCode: AfterWrongCode };

export function secondFactorOperations(needs: OperationNeeds): readonly Operation[] {
  return [...ownOperations(needs), secondStep(needs), reset(needs)];
}

function ownOperations(needs: SecondFactorNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/account/second_factor",
      name: "getSecondFactor",
      summary: "Read one's own second factor",
      description: "Null: sign-in asks for the password alone.",
      tag,
      level: "readonly",
      answer: Type.Object({ second_factor: nullable(factor) }, { additionalProperties: false }),
      run: async (call) => {
        const found = await ownSecondFactor(needs, call);
        if (found?.confirmedAt === undefined) return { second_factor: null };
        const { confirmedAt, recoveryCodesLeft } = found;
        return {
          second_factor: { confirmed_at: renderInstant(confirmedAt), recovery_codes_left: recoveryCodesLeft },
        };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/account/second_factor",
      name: "offerSecondFactor",
      summary: "Begin a second factor",
      description:
        "A secret for an app that makes codes. Sign-in asks for them once `confirmSecondFactor` was called with one. " +
        "Another call replaces a secret that was not confirmed.",
      tag,
      level: "readonly",
      body: strict("SecondFactorOfferInput", { current_password: Type.Optional(currentPassword) }),
      answer: factorOffer,
      run: async (call) => renderNewFactor(call, await offerSecondFactor(needs, call, call.body.current_password)),
    }),
    operation({
      method: "POST",
      path: "/v3/account/second_factor/confirm",
      name: "confirmSecondFactor",
      summary: "Confirm a second factor",
      description: "With a code of the app. From then on sign-in asks for one. Sessions that are open stay.",
      tag,
      level: "readonly",
      body: strict("SecondFactorConfirmation", { code }),
      answer: recoveryCodes,
      run: async (call) => ({ recovery_codes: [...(await confirmSecondFactor(needs, call, call.body.code))] }),
    }),
    operation({
      method: "POST",
      path: "/v3/account/second_factor/recovery_codes",
      name: "replaceRecoveryCodes",
      summary: "Make new recovery codes",
      description: "Those from before end.",
      tag,
      level: "readonly",
      body: proof,
      answer: recoveryCodes,
      run: async (call) => {
        const { current_password: password, code } = call.body;
        return { recovery_codes: [...(await replaceRecoveryCodes(needs, call, { password, code }))] };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/account/second_factor/remove",
      name: "removeSecondFactor",
      summary: "Switch one's own second factor off",
      description: "Takes the password and a code. Who has to have one is asked for a new one at the next sign-in.",
      tag,
      level: "readonly",
      body: proof,
      answer: NOTHING,
      run: async (call) => {
        const { current_password: password, code } = call.body;
        await removeSecondFactor(needs, call, { password, code });
        return {};
      },
    }),
  ];
}

function secondStep(needs: OperationNeeds): Operation {
  return operation({
    method: "POST",
    path: "/v3/sessions/second_factor",
    name: "finishSignIn",
    summary: "Sign in: the second step",
    description:
      "For pages of this server: the code of a person whose password was right, or who came back from a provider, with the `step` of that " +
      "answer. It is refused after 10 minutes, and once the password was changed. Where that answer had an `enrolment`, the code is the first " +
      "of the new app, and the answer has recovery codes.",
    tag,
    level: "public",
    ownPageOnly: true,
    body: strict("SecondStep", {
      step: Type.String({ minLength: 1, maxLength: 200, description: "Of the answer to the password." }),
      code,
    }),
    answer: Type.Object({ session: sessionSchema, recovery_codes: nullable(codes) }, { additionalProperties: false }),
    run: async (call) => {
      const { step, code } = call.body;
      const formerCookie = needs.sessionCookie.read(call.header("cookie") ?? "", call.isSecure());
      const given = { step, code, formerCookie, userAgent: call.header("user-agent") ?? "" };
      const asSignIn = { ...call, operation: "createSession" };
      const signedIn = await finishSignIn(needs, asSignIn, given).catch(async (error: unknown) => {
        throw await needs.afterWrongCode(call.remoteAddress, error);
      });
      const recovery_codes = signedIn.recoveryCodes === undefined ? null : [...signedIn.recoveryCodes];
      return withCookie({ session: rendered(signedIn), recovery_codes }, cookieOf(needs, call, signedIn));
    },
  });
}

function reset(needs: SecondFactorNeeds): Operation {
  return operation({
    method: "DELETE",
    path: "/v3/accounts/:account_id/second_factor",
    name: "resetSecondFactor",
    summary: "Reset a person's second factor",
    description:
      "For a person whose app and recovery codes are gone; sign-in then asks for the password alone. " +
      "Takes a caller above that person: of a higher level, or of the same level and more sites.",
    tag,
    level: "owner",
    answer: NOTHING,
    run: async (call) => {
      await resetSecondFactor(needs, call, call.params.account_id);
      return {};
    },
  });
}
