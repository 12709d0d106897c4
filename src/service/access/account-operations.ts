import {
  accountAnswer,
  accountChangeSchema,
  accountSchema,
  newAccountSchema,
  parseAccountChange,
  parseNewAccount,
  renderAccount,
} from "#service/access/account-wire.ts";
import {
  type AccountNeeds,
  changeAccount,
  createAccount,
  deleteAccount,
  foundAccount,
  listAccounts,
} from "#service/access/accounts.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";

const tag = "Access";

export function accountOperations(needs: AccountNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/accounts",
      name: "createAccount",
      summary: "Add a person",
      description: "Grants at most the caller's own level and sites.",
      tag,
      level: "owner",
      body: newAccountSchema,
      answer: accountAnswer,
      run: async (call) => ({ account: renderAccount(await createAccount(needs, call, parseNewAccount(call.body))) }),
    }),
    operation({
      method: "GET",
      path: "/v3/accounts",
      name: "listAccounts",
      summary: "List people",
      description: "Those that the caller could have added itself: no stronger and for no other sites.",
      tag,
      level: "owner",
      query: paging,
      answer: listAnswer("accounts", accountSchema),
      run: async (call) => renderPage("accounts", await listAccounts(needs, call, pageOf(call.query)), renderAccount),
    }),
    operation({
      method: "GET",
      path: "/v3/accounts/:account_id",
      name: "getAccount",
      summary: "Read one person",
      tag,
      level: "owner",
      answer: accountAnswer,
      run: async ({ caller, params }) => ({
        account: renderAccount(await foundAccount(needs, caller, params.account_id)),
      }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/accounts/:account_id",
      name: "updateAccount",
      summary: "Change a person",
      description:
        "Effective at once. A level or sites that become less revoke the person's tokens that are for more. " +
        "A new password or a suspension ends the person's sessions.",
      tag,
      level: "owner",
      body: accountChangeSchema,
      answer: accountAnswer,
      run: async (call) => ({
        account: renderAccount(await changeAccount(needs, call, call.params.account_id, parseAccountChange(call.body))),
      }),
    }),
    operation({
      method: "DELETE",
      path: "/v3/accounts/:account_id",
      name: "deleteAccount",
      summary: "Delete a person",
      description: "Effective at once: the person's sessions end, and the person's tokens are revoked.",
      tag,
      level: "owner",
      answer: NOTHING,
      run: async (call) => {
        await deleteAccount(needs, call, call.params.account_id);
        return {};
      },
    }),
  ];
}
