import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Passkey } from "#core/access/passkey.ts";
import { refuse } from "#core/app-error.ts";
import type { Instant } from "#core/time/instant.ts";
import type { PasskeyUse, UsedChallenge } from "#service/ports/passkey-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { PASSKEY_COLUMNS } from "./passkey-row.ts";
import { number } from "./row.ts";
import { NOBODY, write } from "./write.ts";

interface NewPasskey {
  readonly passkey: Passkey;
  readonly challenge: UsedChallenge;
  readonly most: number;
}
interface Named {
  readonly accountId: string;
  readonly id: string;
}

export const passkeyWrites = {
  insertPasskey: write({
    locks: ({ input: { passkey, challenge } }) => [
      `token ${passkey.accountId}`,
      `passkey ${passkey.id}`,
      `challenge ${challenge.key}`,
    ],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { input: { passkey, challenge, most }, trail }: { input: NewPasskey; trail: AuditEntry },
    ) {
      const { id, accountId } = passkey;
      const counted = await database.one("SELECT count(*) AS total FROM passkey WHERE account_id = ?", accountId);
      if (number(counted, "total") >= most) throw refuse("conflict", `there are ${most} passkeys already; delete one`);
      if ((await database.get("SELECT 1 AS found FROM passkey WHERE id = ?", id)) !== undefined)
        throw refuse("conflict", "this passkey is registered already");
      if (!(await useUp(database, challenge, passkey.createdAt))) return false;
      await database.run(
        `INSERT INTO passkey (${PASSKEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        accountId,
        passkey.name,
        passkey.host,
        passkey.publicKey,
        passkey.useCount,
        passkey.createdAt,
        passkey.lastUsedAt ?? null,
      );
      await recordAudit(database, trail);
      return true;
    },
  }),

  usePasskey: write({
    locks: ({ use }) => [`passkey ${use.id}`, `challenge ${use.challenge.key}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { use: { id, useCount, challenge, at } }: { use: PasskeyUse }) {
      const sql = `UPDATE passkey SET use_count = ?, last_used_at = ?
        WHERE id = ? AND (use_count < ? OR (use_count = 0 AND ? = 0))`;
      if (!(await useUp(database, challenge, at))) return false;
      return (await database.run(sql, useCount, at, id, useCount, useCount)) > 0;
    },
  }),

  renamePasskey: write({
    locks: ({ named }) => [`passkey ${named.id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { named: { accountId, id, name }, trail }: { named: Named & { readonly name: string }; trail: AuditEntry },
    ) {
      const sql = "UPDATE passkey SET name = ? WHERE id = ? AND account_id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, name, id, accountId));
    },
  }),

  deletePasskey: write({
    locks: ({ named }) => [`passkey ${named.id}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { named: { accountId, id }, trail }: { named: Named; trail: AuditEntry }) {
      const sql = "DELETE FROM passkey WHERE id = ? AND account_id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, id, accountId));
    },
  }),
};

async function useUp(database: Database, { key, expiresAt }: UsedChallenge, now: Instant): Promise<boolean> {
  await database.run("DELETE FROM used_challenge WHERE expires_at <= ?", now);
  const sql = "INSERT INTO used_challenge (key, expires_at) VALUES (?, ?) ON CONFLICT (key) DO NOTHING";
  return (await database.run(sql, key, expiresAt)) > 0;
}
