import { listOf } from "./list-of.ts";
import type {
  AccountChange,
  NewAccount,
  NewPasskey,
  OwnAccountChange,
  PasskeyOfferInput,
  PasswordChange,
  Queries,
  SecondFactorProof,
} from "./resources.ts";
import type { Transport } from "./transport.ts";

export function accounts({ perform }: Transport) {
  return {
    create: (body: NewAccount) => perform("createAccount", { body }),
    list: listOf("accounts", (query: Queries["listAccounts"] = {}) => perform("listAccounts", { query })),
    get: (account_id: string) => perform("getAccount", { params: { account_id } }),
    update: (account_id: string, body: AccountChange) => perform("updateAccount", { params: { account_id }, body }),
    /** For the link /sign-in#invitation=... of the page; valid once and for 7 days. */
    invite: (account_id: string) => perform("createInvitation", { params: { account_id } }),
    /** For a person whose app and recovery codes are gone. */
    resetSecondFactor: (account_id: string) => perform("resetSecondFactor", { params: { account_id } }),
    delete: (account_id: string) => perform("deleteAccount", { params: { account_id } }),
    /** That of the person who is signed in. */
    own: () => perform("getOwnAccount"),
    updateOwn: (body: OwnAccountChange) => perform("updateOwnAccount", { body }),
    /** Ends all sessions of the person, but for a new one in this browser. */
    changePassword: (body: PasswordChange) => perform("changeOwnPassword", { body }),
    /** That of the person who is signed in; null: sign-in asks for the password alone. */
    secondFactor: () => perform("getSecondFactor"),
    /** A secret for an app; it is asked for once a code has confirmed it. */
    offerSecondFactor: (current_password?: string) =>
      perform("offerSecondFactor", { body: { ...(current_password !== undefined && { current_password }) } }),
    confirmSecondFactor: (code: string) => perform("confirmSecondFactor", { body: { code } }),
    replaceRecoveryCodes: (body: SecondFactorProof) => perform("replaceRecoveryCodes", { body }),
    removeSecondFactor: (body: SecondFactorProof) => perform("removeSecondFactor", { body }),
    /** Of an account that signs in by the provider and has a password of its own, too. */
    unlink: (account_id: string) => perform("unlinkAccount", { params: { account_id } }),
    passkeys: () => perform("listPasskeys"),
    offerPasskey: (body: PasskeyOfferInput) => perform("offerPasskey", { body }),
    addPasskey: (body: NewPasskey) => perform("addPasskey", { body }),
    renamePasskey: (passkey_id: string, name: string) =>
      perform("renamePasskey", { params: { passkey_id }, body: { name } }),
    deletePasskey: (passkey_id: string) => perform("deletePasskey", { params: { passkey_id } }),
    /** Tokens of the person that are valid. */
    ownTokens: listOf("tokens", (query: Queries["listOwnTokens"] = {}) => perform("listOwnTokens", { query })),
    /** One of the person, or the token of the call itself. */
    revokeOwnToken: (token_id: string) => perform("revokeOwnToken", { params: { token_id } }),
    signIns: listOf("sign_ins", (query: Queries["listOwnSignIns"] = {}) => perform("listOwnSignIns", { query })),
  };
}
