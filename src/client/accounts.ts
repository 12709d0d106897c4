import { listOf } from "./list-of.ts";
import type { AccountChange, NewAccount, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

export function accounts({ perform }: Transport) {
  return {
    create: (body: NewAccount) => perform("createAccount", { body }),
    list: listOf("accounts", (query: Queries["listAccounts"] = {}) => perform("listAccounts", { query })),
    get: (account_id: string) => perform("getAccount", { params: { account_id } }),
    update: (account_id: string, body: AccountChange) => perform("updateAccount", { params: { account_id }, body }),
    delete: (account_id: string) => perform("deleteAccount", { params: { account_id } }),
  };
}
