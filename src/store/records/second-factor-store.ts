import type { SecondFactorStore } from "#service/ports/second-factor-store.ts";
import type { Database } from "#store/database.ts";
import { bytes, number, optionalText, optionalTime, text, time } from "./row.ts";
import type { Writer } from "./writer.ts";

const FACTOR = `SELECT account_id, sealed_secret, confirmed_at, last_step,
  (SELECT count(*) FROM recovery_code r WHERE r.account_id = f.account_id) AS codes_left
  FROM second_factor f WHERE account_id = ?`;

export function createSecondFactorStore(reader: Database, writer: Writer): SecondFactorStore {
  return {
    find: async (accountId) => {
      const row = await reader.get(FACTOR, accountId);
      return (
        row && {
          accountId: text(row, "account_id"),
          sealedSecret: bytes(row, "sealed_secret"),
          confirmedAt: optionalTime(row, "confirmed_at"),
          lastStep: number(row, "last_step"),
          recoveryCodesLeft: number(row, "codes_left"),
        }
      );
    },
    offer: (accountId, sealedSecret) => writer.run("offerSecondFactor", { accountId, sealedSecret }),
    confirm: (factor, trail) => writer.run("confirmSecondFactor", { factor, trail }),
    spend: (accountId, code) => writer.run("spendSecondFactor", { accountId, code }),
    replaceRecoveryCodes: (accountId, hashes, trail) =>
      writer.run("replaceRecoveryCodes", { accountId, hashes, trail }),
    remove: (accountId, trail) => writer.run("removeSecondFactor", { accountId, trail }),
    insertStep: (step, mostOfAccount) => writer.run("insertSignInStep", { step, mostOfAccount }),
    findStep: async (hash) => {
      const row = await reader.get(
        "SELECT hash, account_id, token_hash, created_at, expires_at, provider_session FROM sign_in_step WHERE hash = ?",
        hash,
      );
      return (
        row && {
          hash: text(row, "hash"),
          accountId: text(row, "account_id"),
          tokenHash: bytes(row, "token_hash"),
          createdAt: time(row, "created_at"),
          expiresAt: time(row, "expires_at"),
          providerSession: optionalText(row, "provider_session"),
        }
      );
    },
    takeStep: (hash, now) => writer.run("takeSignInStep", { hash, now }),
  };
}
