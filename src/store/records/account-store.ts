import { mailKey } from "#core/access/account.ts";
import type { AccountStore } from "#service/ports/account-store.ts";
import type { Database } from "#store/database.ts";
import { ACCOUNT_COLUMNS, ACCOUNTS, parseAccount } from "./account-row.ts";
import { optionalText, text, time } from "./row.ts";
import { readRows } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createAccountStore(reader: Database, writer: Writer): AccountStore {
  async function read(where: string, ...values: readonly string[]) {
    const rows = await reader.all(`SELECT ${ACCOUNT_COLUMNS} FROM ${ACCOUNTS} ${where}`, ...values);
    return readRows(reader, { table: "account", rows }, (row) => parseAccount(reader, row));
  }
  return {
    insert: (account, trail) => writer.run("insertAccount", { account, trail }),
    find: async (id) => (await read("WHERE a.id = ?", id))[0],
    all: () => read("ORDER BY a.id"),
    findPassword: async (mail) => {
      const row = await reader.get("SELECT id, password FROM account WHERE mail_key = ?", mailKey(mail));
      return row && { id: text(row, "id"), password: optionalText(row, "password") };
    },
    findByProvider: async ({ issuer, subject }) =>
      (await read("WHERE a.provider_issuer = ? AND a.provider_subject = ?", issuer, subject))[0],
    change: (asked, trail) => writer.run("changeAccount", { asked, trail }),
    invite: (invitation, trail) => writer.run("inviteAccount", { invitation, trail }),
    findInvitation: async (hash) => {
      const row = await reader.get("SELECT account_id, hash, expires_at FROM account_invitation WHERE hash = ?", hash);
      return row && { accountId: text(row, "account_id"), hash: text(row, "hash"), expiresAt: time(row, "expires_at") };
    },
    acceptInvitation: (hash, asked, trail) => writer.run("acceptInvitation", { hash, asked, trail }),
    notePlace: (place) => writer.run("noteSignInPlace", { place }),
    delete: (id, at, trail) => writer.run("deleteAccount", { id, at, trail }),
  };
}
