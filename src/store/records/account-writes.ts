import { type Account, MAX_ACCOUNTS, mailKey } from "#core/access/account.ts";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { type Access, changedAccess, covers } from "#core/access/caller.ts";
import type { ProviderIdentity } from "#core/access/provider-person.ts";
import { refuse } from "#core/app-error.ts";
import type { Instant } from "#core/time/instant.ts";
import type {
  AccountChange,
  AskedAccountChange,
  Invitation,
  NewAccount,
  SignInPlace,
} from "#service/ports/account-store.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import type { Database, Value, WriteDatabase } from "#store/database.ts";
import { renderSiteLevels, renderSites } from "./access-columns.ts";
import { ACCOUNT_COLUMNS, ACCOUNTS, parseAccount } from "./account-row.ts";
import { recordAudit } from "./audit-writes.ts";
import { number, text } from "./row.ts";
import { forgetSecondFactor } from "./second-factor-writes.ts";
import { parseToken, TOKEN_COLUMNS } from "./token-row.ts";
import { addToken } from "./token-writes.ts";
import { deleteOwnOf } from "./view-writes.ts";
import { NOBODY, write } from "./write.ts";

/** One for all: mail addresses are unique, and accounts rarely change. */
const ALL_ACCOUNTS = "accounts";

const note = (ids: readonly string[] | undefined): NodeMessage => ({ kind: "tokens", ids: ids ?? [] });

export const accountWrites = {
  insertAccount: write({
    locks: ({ account }) => [ALL_ACCOUNTS, `token ${account.token.id}`],
    informs: { cloud: undefined, nodes: ({ account }) => note([account.token.id]) },
    fromReserve: false,
    async run(database: WriteDatabase, { account, trail }: { account: NewAccount; trail: AuditEntry }) {
      const { token, settings, password } = account;
      const total = number(await database.one("SELECT count(*) AS total FROM account"), "total");
      if (total >= MAX_ACCOUNTS)
        throw refuse("conflict", `there are ${MAX_ACCOUNTS} accounts already; delete some first`);
      await requireFreeMail(database, settings.mail, token.id);
      await requireNewAtProvider(database, settings.provider);
      await addToken(database, token);
      await database.run(
        "INSERT INTO account (id, mail, mail_key, password, language, time_format, provider_issuer, provider_subject) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        token.id,
        settings.mail,
        mailKey(settings.mail),
        password ?? null,
        settings.language ?? null,
        settings.timeFormat ?? null,
        settings.provider?.issuer ?? null,
        settings.provider?.subject ?? null,
      );
      await recordAudit(database, trail);
    },
  }),

  changeAccount: write({
    locks: ({ asked }, reader) => locksOf(reader, asked.id),
    informs: { cloud: undefined, nodes: (_, ids) => note(ids) },
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { asked, trail }: { asked: AskedAccountChange; trail: AuditEntry },
    ): Promise<readonly string[] | undefined> {
      return await apply(database, asked, trail);
    },
  }),

  inviteAccount: write({
    locks: ({ invitation }) => [ALL_ACCOUNTS, `token ${invitation.accountId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { invitation: { accountId, hash, expiresAt }, trail }: { invitation: Invitation; trail: AuditEntry },
    ) {
      const account = await findAccount(database, accountId);
      if (account === undefined || account.suspendedAt !== undefined || account.provider !== undefined) return false;
      await database.run("DELETE FROM account_invitation WHERE account_id = ?", accountId);
      await database.run(
        "INSERT INTO account_invitation (account_id, hash, expires_at) VALUES (?, ?, ?)",
        accountId,
        hash,
        expiresAt,
      );
      await recordAudit(database, trail);
      return true;
    },
  }),

  acceptInvitation: write({
    locks: ({ asked }, reader) => locksOf(reader, asked.id),
    informs: { cloud: undefined, nodes: (_, ids) => note(ids) },
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { hash, asked, trail }: { hash: string; asked: AskedAccountChange; trail: AuditEntry },
    ): Promise<readonly string[] | undefined> {
      const sql = "DELETE FROM account_invitation WHERE hash = ? AND account_id = ? AND expires_at > ?";
      if ((await database.run(sql, hash, asked.id, asked.at)) === 0) return undefined;
      return await apply(database, asked, trail);
    },
  }),

  noteSignInPlace: write({
    locks: ({ place }) => [`token ${place.accountId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { place: { accountId, place, at, since, most } }: { place: SignInPlace }) {
      const of = "FROM sign_in_place WHERE account_id = ?";
      const total = number(await database.one(`SELECT count(*) AS total ${of}`, accountId), "total");
      await database.run(`DELETE ${of} AND last_used_at <= ?`, accountId, since);
      const known = await database.get(`SELECT 1 AS found ${of} AND place = ?`, accountId, place);
      await database.run(
        `INSERT INTO sign_in_place (account_id, place, last_used_at) VALUES (?, ?, ?)
         ON CONFLICT (account_id, place) DO UPDATE SET last_used_at = excluded.last_used_at`,
        accountId,
        place,
        at,
      );
      const surplus = `SELECT place ${of} ORDER BY last_used_at DESC, place LIMIT 1000 OFFSET ?`;
      for (const row of await database.all(surplus, accountId, most))
        await database.run(`DELETE ${of} AND place = ?`, accountId, text(row, "place"));
      return total > 0 && known === undefined;
    },
  }),

  deleteAccount: write({
    locks: ({ id }, reader) => locksOf(reader, id),
    informs: { cloud: undefined, nodes: (_, ids) => note(ids) },
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { id, at, trail }: { id: string; at: Instant; trail: AuditEntry },
    ): Promise<readonly string[] | undefined> {
      const account = await findAccount(database, id);
      if (account === undefined) return undefined;
      const ended = await revokeTokensOf(database, account, { all: true, at });
      await database.run("DELETE FROM session WHERE token_id = ?", id);
      await database.run("DELETE FROM sign_in_code WHERE token_id = ?", id);
      await deleteOwnOf(database, id);
      await database.run("DELETE FROM account_invitation WHERE account_id = ?", id);
      await forgetSecondFactor(database, id);
      await database.run("DELETE FROM sign_in_place WHERE account_id = ?", id);
      await database.run("DELETE FROM passkey WHERE account_id = ?", id);
      await database.run("DELETE FROM account WHERE id = ?", id);
      await database.run("DELETE FROM token WHERE id = ?", id);
      await recordAudit(database, trail);
      return [id, ...ended];
    },
  }),
};

async function apply(
  database: WriteDatabase,
  { id, change, at, hash }: AskedAccountChange,
  trail: AuditEntry,
): Promise<readonly string[] | undefined> {
  const before = await findAccount(database, id);
  if (before === undefined) return undefined;
  if (change.mail !== undefined) await requireFreeMail(database, change.mail, id);
  if (change.provider !== undefined && before.provider !== undefined)
    throw refuse("conflict", "the account is linked to a provider already");
  await requireNewAtProvider(database, change.provider);
  await set(database, "account", id, [
    ...valueIn(change, "mail", "mail"),
    ...(change.mail === undefined ? [] : [["mail_key", mailKey(change.mail)] as const]),
    ...valueIn(change, "language", "language"),
    ...valueIn(change, "timeFormat", "time_format"),
    ...valueIn(change, "password", "password"),
    ...identityIn(change),
    ...(change.isSuspended === undefined
      ? []
      : [["suspended_at", change.isSuspended ? (before.suspendedAt ?? at) : null] as const]),
  ]);
  const endsAll = change.isSuspended === true || change.endsAll === true;
  const ends = change.password !== undefined || endsAll || "provider" in change;
  const access = [
    ...valueIn(change, "name", "name"),
    ...(changesAccess(change) ? accessColumns(changedAccess(before, change)) : []),
    ...(ends ? [["hash", hash] as const] : []),
    ...(change.isSuspended === undefined ? [] : [["revoked_at", change.isSuspended ? at : null] as const]),
  ];
  await set(database, "token", id, access);
  // Whoever has an older link would become somebody with more rights, or with another address.
  const outdatesLink = ends || changesAccess(change) || change.mail !== undefined;
  if (outdatesLink) await database.run("DELETE FROM account_invitation WHERE account_id = ?", id);
  if (ends) {
    await database.run("DELETE FROM session WHERE token_id = ?", id);
    await database.run("DELETE FROM sign_in_step WHERE account_id = ?", id);
  }
  const after = (await findAccount(database, id)) ?? before;
  const ended = await revokeTokensOf(database, after, { all: endsAll, at });
  await recordAudit(database, trail);
  return [...(access.length > 0 ? [id] : []), ...ended];
}

const changesAccess = ({ level, sites, siteLevels }: AccountChange): boolean =>
  [level, sites, siteLevels].some((one) => one !== undefined);

const accessColumns = (access: Access): readonly Assignment[] => [
  ["level", access.level],
  ["sites", renderSites(access.sites)],
  ["site_levels", renderSiteLevels(access)],
];

async function locksOf(reader: Database, id: string): Promise<readonly string[]> {
  const rows = await reader.all("SELECT id FROM token WHERE account_id = ?", id);
  return [ALL_ACCOUNTS, `token ${id}`, ...rows.map((row) => `token ${text(row, "id")}`)];
}

async function findAccount(database: WriteDatabase, id: string): Promise<Account | undefined> {
  const row = await database.get(`SELECT ${ACCOUNT_COLUMNS} FROM ${ACCOUNTS} WHERE a.id = ?`, id);
  return row && parseAccount(database, row);
}

async function requireFreeMail(database: Database, mail: string, id: string): Promise<void> {
  const sql = "SELECT 1 AS found FROM account WHERE mail_key = ? AND id <> ?";
  if ((await database.get(sql, mailKey(mail), id)) === undefined) return;
  throw refuse("conflict", "another account has this mail address", { pointer: "/mail" });
}

async function requireNewAtProvider(database: Database, provider: ProviderIdentity | undefined): Promise<void> {
  if (provider === undefined) return;
  const sql = "SELECT 1 AS found FROM account WHERE provider_issuer = ? AND provider_subject = ?";
  if ((await database.get(sql, provider.issuer, provider.subject)) === undefined) return;
  throw refuse("conflict", "this person of the provider has an account already");
}

/** Revokes the person's tokens that are for more than the person is. */
async function revokeTokensOf(
  database: WriteDatabase,
  account: Account,
  { all, at }: { readonly all: boolean; readonly at: Instant },
): Promise<readonly string[]> {
  const { id } = account;
  const sql = `SELECT ${TOKEN_COLUMNS} FROM token WHERE account_id = ? AND id <> ? AND revoked_at IS NULL`;
  const ended: string[] = [];
  for (const row of await database.all(sql, id, id)) {
    const token = parseToken(database, row);
    if (!all && covers(account, token)) continue;
    await database.run("UPDATE token SET revoked_at = ? WHERE id = ?", at, token.id);
    await database.run("DELETE FROM session WHERE token_id = ?", token.id);
    await deleteOwnOf(database, token.id);
    ended.push(token.id);
  }
  return ended;
}

type Assignment = readonly [column: string, value: Value];

/** Of a field that the change has, also where its value is to be cleared. */
function valueIn(
  change: AccountChange,
  field: "name" | "mail" | "language" | "timeFormat" | "password",
  column: string,
): readonly Assignment[] {
  return field in change ? [[column, change[field] ?? null]] : [];
}

const identityIn = (change: AccountChange): readonly Assignment[] =>
  "provider" in change
    ? [
        ["provider_issuer", change.provider?.issuer ?? null],
        ["provider_subject", change.provider?.subject ?? null],
      ]
    : [];

async function set(database: Database, table: string, id: string, fields: readonly Assignment[]): Promise<void> {
  if (fields.length === 0) return;
  const columns = fields.map(([column]) => `${column} = ?`).join(", ");
  await database.run(`UPDATE ${table} SET ${columns} WHERE id = ?`, ...fields.map(([, value]) => value), id);
}
