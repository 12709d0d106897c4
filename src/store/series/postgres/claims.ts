// Which node seals, joins and scrubs which partitions. A claim is a lock of a connection, so it ends with the node. It
// only saves work: whatever a job changes is checked when it is committed.
import type { Client } from "pg";
import { PARTITIONS } from "#store/series/shared-store.ts";
import type { Transactions } from "./transactions.ts";

/** Any number that no other program uses for the same purpose. */
const LOCK = 723_841_190;
/** Held by every node, so that nodes can be counted. */
const NODE = 1_000;
/** Shared by nodes; a move has it alone. */
const MOVE = 1_001;

/** False when a node runs. Ends with the connection. */
export async function lockForMove(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}, ${MOVE}) AS locked`);
  return rows[0]?.locked === true;
}

export interface Claims {
  /** Runs on each new connection, which has no locks. */
  enter(client: Client): Promise<void>;
  /** Takes what is free and gives back what is too much. */
  claim(): Promise<readonly number[]>;
}

export function createClaims(query: () => Transactions["query"], isMove: boolean): Claims {
  let claimed: readonly number[] = [];

  async function release(numbers: readonly number[]): Promise<void> {
    if (numbers.length > 0)
      await query()(`SELECT pg_advisory_unlock(${LOCK}, one) FROM unnest($1::int[]) AS one`, [numbers]);
    claimed = claimed.filter((one) => !numbers.includes(one));
  }

  return {
    async enter(client) {
      claimed = [];
      if (!isMove) {
        const { rows } = await client.query<{ locked: boolean }>(
          `SELECT to_regclass('unfinished_move') IS NULL AND pg_try_advisory_lock_shared(${LOCK}, ${MOVE}) AS locked`,
        );
        if (rows[0]?.locked !== true)
          throw new Error("busbar migrate has not finished with this database: run it again");
      }
      await client.query(`SELECT pg_advisory_lock_shared(${LOCK}, ${NODE})`);
    },
    async claim() {
      const { rows } = await query()<{ nodes: number }>(
        `SELECT count(*) AS nodes FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCK} AND objid = ${NODE}
         AND objsubid = 2 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      const fair = Math.ceil(PARTITIONS.length / Math.max(1, rows[0]?.nodes ?? 1));
      if (claimed.length > fair) await release(claimed.slice(fair));
      else if (claimed.length < fair) {
        const free = PARTITIONS.filter((one) => !claimed.includes(one));
        const taken = await query()<{ one: number }>(
          `SELECT one FROM unnest($1::int[]) AS one WHERE pg_try_advisory_lock(${LOCK}, one)`,
          [free],
        );
        claimed = [...claimed, ...taken.rows.map(({ one }) => one)];
        await release(claimed.slice(fair));
      }
      return claimed;
    },
  };
}
