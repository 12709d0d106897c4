import type { Decision } from "#core/access/terminal-sign-in.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NewTerminalSignIn } from "#service/ports/terminal-sign-in-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { number, text } from "./row.ts";
import { NOBODY, write } from "./write.ts";

export const terminalSignInWrites = {
  /** Whoever asks needs no token, so all of them wait for each other, and there are few. */
  insertTerminalSignIn: write({
    locks: () => ["terminal sign-ins"],
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: WriteDatabase, { input }: { input: NewTerminalSignIn }) {
      const { signIn, addressBlock, mostOfAddress, most } = input;
      await database.run("DELETE FROM terminal_sign_in WHERE expires_at <= ?", signIn.createdAt);
      const surplus = await database.all(
        "SELECT program_key FROM terminal_sign_in WHERE address_block = ? ORDER BY created_at DESC, program_key LIMIT 1000 OFFSET ?",
        addressBlock,
        mostOfAddress - 1,
      );
      for (const row of surplus) {
        await database.run("DELETE FROM terminal_sign_in WHERE program_key = ?", text(row, "program_key"));
      }
      const { count } = {
        count: number(await database.one("SELECT count(*) AS count FROM terminal_sign_in"), "count"),
      };
      const isTaken = "SELECT 1 AS found FROM terminal_sign_in WHERE user_key = ?";
      if (count >= most || (await database.get(isTaken, signIn.userKey)) !== undefined) return false;
      await database.run(
        `INSERT INTO terminal_sign_in
           (program_key, user_key, program, asked_level, remote_address, address_block, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        signIn.programKey,
        signIn.userKey,
        signIn.program,
        signIn.askedLevel ?? null,
        signIn.remoteAddress,
        addressBlock,
        signIn.createdAt,
        signIn.expiresAt,
      );
      return true;
    },
  }),

  decideTerminalSignIn: write({
    locks: ({ userKey }) => [`terminal sign-in ${userKey}`],
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: Database, { userKey, decision, now }: { userKey: string; decision: Decision; now: Instant }) {
      const stored = decision.kind === "denied" ? decision : { ...decision, sites: sitesOf(decision.sites) };
      const sql = "UPDATE terminal_sign_in SET decision = ? WHERE user_key = ? AND decision IS NULL AND expires_at > ?";
      return (await database.run(sql, JSON.stringify(stored), userKey, now)) > 0;
    },
  }),

  takeTerminalSignIn: write({
    locks: ({ programKey }) => [`terminal sign-in ${programKey}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: Database, { programKey, now }: { programKey: string; now: Instant }) {
      const sql = "DELETE FROM terminal_sign_in WHERE program_key = ? AND decision IS NOT NULL AND expires_at > ?";
      return (await database.run(sql, programKey, now)) > 0;
    },
  }),
};

const sitesOf = (sites: "all" | ReadonlySet<string>) => (sites === "all" ? sites : [...sites]);
