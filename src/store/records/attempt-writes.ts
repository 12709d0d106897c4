import { type Instant, instant } from "#core/time/instant.ts";
import type { Attempt, AttemptCount } from "#service/ports/attempt-store.ts";
import type { Database } from "#store/database.ts";
import { number, time } from "./row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

const lockOf = (source: string) => `sign-in attempts ${source}`;

export const attemptWrites = {
  noteSignInAttempts: write({
    locks: ({ attempts }) => attempts.map(({ source }) => lockOf(source)),
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: Database, { attempts, now }: { attempts: readonly Attempt[]; now: Instant }) {
      const counts: AttemptCount[] = [];
      for (const attempt of attempts) {
        const counted = await countOf(database, attempt, now);
        await database.run(
          `INSERT INTO sign_in_attempt (source, count, ends_at) VALUES (?, ?, ?)
           ON CONFLICT (source) DO UPDATE SET count = excluded.count, ends_at = excluded.ends_at`,
          attempt.source,
          counted.count,
          counted.endsAt,
        );
        counts.push(counted);
        if (counted.count > attempt.most) break;
      }
      return counts;
    },
  }),

  forgiveSignInAttempts: write({
    locks: ({ sources }) => sources.map(lockOf),
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: Database, { sources }: { sources: readonly string[] }) {
      for (const source of sources)
        await database.run("UPDATE sign_in_attempt SET count = count - 1 WHERE source = ? AND count > 0", source);
    },
  }),

  pruneSignInAttempts: prune(
    "sign-in attempts",
    async (database: Database, { now, most }: { now: Instant; most: number }) =>
      await database.run(
        `DELETE FROM sign_in_attempt WHERE source IN
       (SELECT source FROM sign_in_attempt WHERE ends_at <= ? ORDER BY source LIMIT ${PRUNE_AT_ONCE})
       OR source IN (SELECT source FROM sign_in_attempt ORDER BY ends_at DESC, source LIMIT ${PRUNE_AT_ONCE} OFFSET ?)`,
        now,
        most,
      ),
  ),
};

async function countOf(
  database: Database,
  { source, windowMs }: Attempt,
  now: Instant,
): Promise<{ readonly count: number; readonly endsAt: Instant }> {
  const row = await database.get("SELECT count, ends_at FROM sign_in_attempt WHERE source = ?", source);
  const ends = row === undefined ? undefined : time(row, "ends_at");
  // One that ends later than a new one is from before the clock was set back.
  const isOpen = row !== undefined && ends !== undefined && ends > now && ends <= now + windowMs;
  return isOpen ? { count: number(row, "count") + 1, endsAt: ends } : { count: 1, endsAt: instant(now + windowMs) };
}
