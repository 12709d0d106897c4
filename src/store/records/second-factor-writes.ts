import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";
import type { ConfirmedFactor, SignInStep, SpentCode } from "#service/ports/second-factor-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { text } from "./row.ts";
import { NOBODY, write } from "./write.ts";

/** Together with whatever else changes the person. */
const lockOf = (accountId: string) => [`token ${accountId}`];

export const secondFactorWrites = {
  offerSecondFactor: write({
    locks: ({ accountId }) => lockOf(accountId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { accountId, sealedSecret }: { accountId: string; sealedSecret: Uint8Array }) {
      if ((await database.get("SELECT 1 AS found FROM account WHERE id = ?", accountId)) === undefined) return false;
      await database.run("DELETE FROM second_factor WHERE account_id = ? AND confirmed_at IS NULL", accountId);
      const sql = `INSERT INTO second_factor (account_id, sealed_secret, confirmed_at, last_step) VALUES (?, ?, NULL, 0)
        ON CONFLICT (account_id) DO NOTHING`;
      return (await database.run(sql, accountId, sealedSecret)) > 0;
    },
  }),

  confirmSecondFactor: write({
    locks: ({ factor }) => lockOf(factor.accountId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { factor, trail }: { factor: ConfirmedFactor; trail: AuditEntry }) {
      const { accountId, step, at, recoveryHashes } = factor;
      const sql = `UPDATE second_factor SET confirmed_at = ?, last_step = ?
        WHERE account_id = ? AND confirmed_at IS NULL AND last_step < ?`;
      if ((await database.run(sql, at, step, accountId, step)) === 0) return false;
      await setRecoveryCodes(database, accountId, recoveryHashes);
      await recordAudit(database, trail);
      return true;
    },
  }),

  spendSecondFactor: write({
    locks: ({ accountId }) => lockOf(accountId),
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { accountId, code }: { accountId: string; code: SpentCode }) {
      if ("step" in code) {
        const sql =
          "UPDATE second_factor SET last_step = ? WHERE account_id = ? AND confirmed_at IS NOT NULL AND last_step < ?";
        return (await database.run(sql, code.step, accountId, code.step)) > 0;
      }
      const sql = "DELETE FROM recovery_code WHERE account_id = ? AND hash = ?";
      return (await database.run(sql, accountId, code.recoveryHash)) > 0;
    },
  }),

  replaceRecoveryCodes: write({
    locks: ({ accountId }) => lockOf(accountId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { accountId, hashes, trail }: { accountId: string; hashes: readonly string[]; trail: AuditEntry },
    ) {
      const sql = "SELECT 1 AS found FROM second_factor WHERE account_id = ? AND confirmed_at IS NOT NULL";
      if ((await database.get(sql, accountId)) === undefined) return false;
      await setRecoveryCodes(database, accountId, hashes);
      await recordAudit(database, trail);
      return true;
    },
  }),

  removeSecondFactor: write({
    locks: ({ accountId }) => lockOf(accountId),
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { accountId, trail }: { accountId: string; trail: AuditEntry }) {
      const sql = "DELETE FROM second_factor WHERE account_id = ? AND confirmed_at IS NOT NULL";
      if ((await database.run(sql, accountId)) === 0) return false;
      await forgetSecondFactor(database, accountId);
      await recordAudit(database, trail);
      return true;
    },
  }),

  insertSignInStep: write({
    locks: ({ step }) => lockOf(step.accountId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { step, mostOfAccount }: { step: SignInStep; mostOfAccount: number }) {
      const { hash, accountId, tokenHash, createdAt, expiresAt, providerSession } = step;
      await database.run("DELETE FROM sign_in_step WHERE expires_at <= ?", createdAt);
      const surplus = await database.all(
        "SELECT hash FROM sign_in_step WHERE account_id = ? ORDER BY created_at DESC, hash LIMIT 1000 OFFSET ?",
        accountId,
        mostOfAccount - 1,
      );
      for (const row of surplus) await database.run("DELETE FROM sign_in_step WHERE hash = ?", text(row, "hash"));
      await database.run(
        "INSERT INTO sign_in_step (hash, account_id, token_hash, created_at, expires_at, provider_session) VALUES (?, ?, ?, ?, ?, ?)",
        hash,
        accountId,
        tokenHash,
        createdAt,
        expiresAt,
        providerSession ?? null,
      );
    },
  }),

  takeSignInStep: write({
    locks: ({ hash }) => [`sign-in step ${hash}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { hash, now }: { hash: string; now: Instant }) {
      return (await database.run("DELETE FROM sign_in_step WHERE hash = ? AND expires_at > ?", hash, now)) > 0;
    },
  }),
};

/** Everything that belongs to the second factor of a person. */
export async function forgetSecondFactor(database: Database, accountId: string): Promise<void> {
  for (const table of ["second_factor", "recovery_code", "sign_in_step"])
    await database.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId);
}

async function setRecoveryCodes(database: Database, accountId: string, hashes: readonly string[]): Promise<void> {
  await database.run("DELETE FROM recovery_code WHERE account_id = ?", accountId);
  for (const hash of hashes)
    await database.run("INSERT INTO recovery_code (account_id, hash) VALUES (?, ?)", accountId, hash);
}
