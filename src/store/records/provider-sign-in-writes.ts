import type { Instant } from "#core/time/instant.ts";
import type { NewProviderSignIn } from "#service/ports/provider-sign-in-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { number, text } from "./row.ts";
import { NOBODY, write } from "./write.ts";

export const providerSignInWrites = {
  /** Whoever asks needs no token, so all of them wait for each other, and there are few. */
  insertProviderSignIn: write({
    locks: () => ["provider sign-ins"],
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: WriteDatabase, { signIn }: { signIn: NewProviderSignIn }) {
      const { stateKey, browserKey, addressBlock, createdAt, expiresAt, mostOfAddress, most } = signIn;
      await database.run("DELETE FROM provider_sign_in WHERE expires_at <= ?", createdAt);
      const surplus = await database.all(
        "SELECT state_key FROM provider_sign_in WHERE address_block = ? ORDER BY created_at DESC, state_key LIMIT 1000 OFFSET ?",
        addressBlock,
        mostOfAddress - 1,
      );
      for (const row of surplus) {
        await database.run("DELETE FROM provider_sign_in WHERE state_key = ?", text(row, "state_key"));
      }
      const total = number(await database.one("SELECT count(*) AS total FROM provider_sign_in"), "total");
      if (total >= most) return false;
      await database.run(
        "INSERT INTO provider_sign_in (state_key, browser_key, address_block, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
        stateKey,
        browserKey,
        addressBlock,
        createdAt,
        expiresAt,
      );
      return true;
    },
  }),

  takeProviderSignIn: write({
    locks: ({ stateKey }) => [`provider sign-in ${stateKey}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(
      database: Database,
      { stateKey, browserKey, now }: { stateKey: string; browserKey: string; now: Instant },
    ) {
      const sql = "DELETE FROM provider_sign_in WHERE state_key = ? AND browser_key = ? AND expires_at > ?";
      return (await database.run(sql, stateKey, browserKey, now)) > 0;
    },
  }),
};
