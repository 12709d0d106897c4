import { MAX_PASSKEY_NAME, MAX_PASSKEYS, type Passkey } from "#core/access/passkey.ts";
import { MAX_CODE_LENGTH } from "#core/access/second-factor.ts";
import { renderInstant } from "#core/time/instant.ts";
import { answerSignedIn } from "#service/access/answer-signed-in.ts";
import type { AfterWrongCode } from "#service/access/attempt-limits.ts";
import {
  addPasskey,
  deletePasskey,
  type OwnPage,
  offerPasskey,
  offerSignIn,
  ownPasskeys,
  type PasskeyNeeds,
  renamePasskey,
  signInWithPasskey,
} from "#service/access/passkeys.ts";
import type { SessionCookie } from "#service/access/session-cookie.ts";
import { sessionAnswer } from "#service/access/session-wire.ts";
import { type Operation, operation, type Way } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, NOTHING, name, nullable, strict, timestamp } from "#service/operation/wire.ts";

const tag = "Access";
/** Of a browser. Longer ones are refused before anything is looked at. */
const bytes = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$", description: `${description} Base64url.` });
const passkeyId = bytes(1_400, "The id of the key, as the device chose it.");
const clientData = bytes(2_800, "`clientDataJSON` of the browser.");
const authenticatorData = bytes(5_600, "`authenticatorData` of the browser.");
const passkeyName = name("What the person calls it.", MAX_PASSKEY_NAME);

const passkeySchema = described("Passkey", "A key with which a person signs in without a password.", {
  id: passkeyId,
  name: Type.String(),
  host: Type.String({ description: "The name of the page for which it is." }),
  created_at: timestamp,
  last_used_at: nullable(timestamp),
});
const passkeyAnswer = Type.Object({ passkey: passkeySchema }, { additionalProperties: false });
const options = {
  challenge: Type.String({ description: "What the device signs, once and within 5 minutes." }),
  host: Type.String({ description: "The name of this page: the id of the relying party." }),
};

type OperationNeeds = PasskeyNeeds & {
  readonly sessionCookie: SessionCookie;
  readonly afterWrongCode: AfterWrongCode;
};

export function passkeyOperations(needs: OperationNeeds): readonly Operation[] {
  return [...registration(needs), ...ownKeys(needs), ...signIn(needs)];
}

function registration(needs: PasskeyNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/account/passkeys/options",
      name: "offerPasskey",
      summary: "Begin to add a passkey",
      description: "What the browser is asked for. Takes the password, and the code of a person with a second factor.",
      tag,
      level: "readonly",
      body: strict("PasskeyOfferInput", {
        current_password: Type.String({ minLength: 1, maxLength: 256 }),
        code: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH })),
      }),
      answer: described("PasskeyOffer", "What the browser is asked for.", {
        ...options,
        user_id: Type.String(),
        user_name: Type.String(),
        display_name: Type.String(),
        known_ids: Type.Array(Type.String(), { maxItems: MAX_PASSKEYS, description: "Keys that are there already." }),
      }),
      run: async (call) => {
        const { current_password: password, code } = call.body;
        const { challenge, host, account, known } = await offerPasskey(needs, call, {
          ...{ page: pageOf(call), password, code },
        });
        const who = { user_id: account.id, user_name: account.mail, display_name: account.name };
        return { challenge, host, ...who, known_ids: [...known] };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/account/passkeys",
      name: "addPasskey",
      summary: "Add a passkey",
      description: "What the browser answered to `offerPasskey`.",
      tag,
      level: "readonly",
      body: strict("NewPasskey", {
        id: passkeyId,
        name: passkeyName,
        public_key: bytes(1_400, "SubjectPublicKeyInfo, as `getPublicKey()` gives it."),
        client_data: clientData,
        authenticator_data: authenticatorData,
      }),
      answer: passkeyAnswer,
      run: async (call) => {
        const { id, name, public_key, client_data, authenticator_data } = call.body;
        const said = { clientData: decoded(client_data), authenticatorData: decoded(authenticator_data) };
        const given = { id, name, publicKey: decoded(public_key), page: pageOf(call), ...said };
        return { passkey: renderPasskey(await addPasskey(needs, call, given)) };
      },
    }),
  ];
}

function ownKeys(needs: PasskeyNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/account/passkeys",
      name: "listPasskeys",
      summary: "List one's own passkeys",
      tag,
      level: "readonly",
      answer: Type.Object(
        { passkeys: Type.Array(passkeySchema, { maxItems: MAX_PASSKEYS }) },
        { additionalProperties: false },
      ),
      run: async (call) => ({ passkeys: (await ownPasskeys(needs, call)).map(renderPasskey) }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/account/passkeys/:passkey_id",
      name: "renamePasskey",
      summary: "Name a passkey",
      tag,
      level: "readonly",
      body: strict("PasskeyChange", { name: passkeyName }),
      answer: passkeyAnswer,
      run: async (call) => {
        const named = { id: call.params.passkey_id, name: call.body.name };
        return { passkey: renderPasskey(await renamePasskey(needs, call, named)) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/account/passkeys/:passkey_id",
      name: "deletePasskey",
      summary: "Delete a passkey",
      description: "Effective at once. Sessions that it began stay.",
      tag,
      level: "readonly",
      answer: NOTHING,
      run: async (call) => {
        await deletePasskey(needs, call, call.params.passkey_id);
        return {};
      },
    }),
  ];
}

function signIn(needs: OperationNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/sessions/passkey/options",
      name: "offerPasskeySignIn",
      summary: "Begin to sign in with a passkey",
      description: "For pages of this server. Stores nothing and names nobody: the device knows its keys.",
      tag,
      level: "public",
      ownPageOnly: true,
      answer: strict("PasskeySignInOffer", options),
      run: async (call) => offerSignIn(needs, pageOf(call)),
    }),
    operation({
      method: "POST",
      path: "/v3/sessions/passkey",
      name: "signInWithPasskey",
      summary: "Sign in with a passkey",
      description: "For pages of this server: what the browser answered to `offerPasskeySignIn`.",
      tag,
      level: "public",
      ownPageOnly: true,
      body: strict("PasskeySignIn", {
        id: passkeyId,
        client_data: clientData,
        authenticator_data: authenticatorData,
        signature: bytes(1_400, "Of the device."),
      }),
      answer: sessionAnswer,
      run: async (call) => {
        const { id, client_data, authenticator_data, signature } = call.body;
        const given = {
          ...{ id, page: pageOf(call), signature: decoded(signature) },
          ...{ clientData: decoded(client_data), authenticatorData: decoded(authenticator_data) },
          formerCookie: needs.sessionCookie.read(call.header("cookie") ?? "", call.isSecure()),
          userAgent: call.header("user-agent") ?? "",
        };
        const asSignIn = { ...call, operation: "createSession" };
        const signedIn = await signInWithPasskey(needs, asSignIn, given).catch(async (error: unknown) => {
          throw await needs.afterWrongCode(call.remoteAddress, error);
        });
        return answerSignedIn(needs, call, signedIn);
      },
    }),
  ];
}

const decoded = (text: string): Uint8Array => Buffer.from(text, "base64url");

/** As the browser says, and as a trusted proxy passes it on. */
function pageOf({ host, isSecure }: Pick<Way, "host" | "isSecure">): OwnPage {
  const { name = "", port } = host() ?? {};
  // Without the port that is usual, as browsers write it.
  const url = URL.parse(`${isSecure() ? "https" : "http"}://${name}:${port}`);
  return { origin: url?.origin ?? "", host: url?.hostname ?? "" };
}

function renderPasskey({ id, name, host, createdAt, lastUsedAt }: Passkey): Static<typeof passkeySchema> {
  const last_used_at = lastUsedAt === undefined ? null : renderInstant(lastUsedAt);
  return { id, name, host, created_at: renderInstant(createdAt), last_used_at };
}
