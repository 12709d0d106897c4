// How rows get into a journal that is spread over several servers. Rows of partitions on one server share a transaction, which
// that server alone commits, and each server has a connection of its own: none waits for another one's commit.
//
// Where partitions are is asked now and then. A partition that has moved since is found by Citus all the same: the transaction is
// then about two servers, and commits in two phases.
import type { Connection } from "#store/postgres/connect.ts";
import { PARTITIONS } from "#store/series/shared-store.ts";
import { createTransactions, type Statement, type Transactions } from "./transactions.ts";

const ASKED_EACH_MS = 10_000;

const PLACES = `SELECT one AS partition, s.nodename || ':' || s.nodeport AS server FROM unnest($1::smallint[]) AS one
  JOIN citus_shards s ON s.shardid = get_shard_id_for_distribution_column('telemetry_journal', one)`;

export interface AppendLanes {
  /** Statements of a partition each. Resolves when all of them are committed; those of some servers may be when it throws. */
  run(statements: readonly (Statement & { readonly partition: number })[]): Promise<void>;
  close(): Promise<void>;
}

export function createAppendLanes(jobs: Pick<Transactions, "query">, open: () => Connection): AppendLanes {
  let servers = new Map<number, string>();
  let askedAt = Number.NEGATIVE_INFINITY;
  const lanes = new Map<string, { readonly connection: Connection; readonly transactions: Transactions }>();

  async function places(): Promise<ReadonlyMap<number, string>> {
    const now = performance.now();
    if (now - askedAt < ASKED_EACH_MS) return servers;
    askedAt = now;
    const { rows } = await jobs.query<{ partition: number; server: string }>(PLACES, [PARTITIONS]);
    servers = new Map(rows.map(({ partition, server }) => [partition, server]));
    return servers;
  }

  function laneOf(server: string): Transactions {
    let lane = lanes.get(server);
    if (lane === undefined) {
      const connection = open();
      lane = { connection, transactions: createTransactions(connection) };
      lanes.set(server, lane);
    }
    return lane.transactions;
  }

  return {
    async run(statements) {
      const known = await places();
      const groups = Map.groupBy(statements, ({ partition }) => known.get(partition) ?? "");
      const settled = await Promise.allSettled(
        [...groups].map(async ([server, own]) => {
          const [first] = own;
          // One statement is a transaction of its own.
          if (own.length === 1 && first !== undefined) await laneOf(server).query(first.sql, first.values);
          else await laneOf(server).run(own);
        }),
      );
      const failed = settled.find((one) => one.status === "rejected");
      if (failed === undefined) return;
      askedAt = Number.NEGATIVE_INFINITY;
      throw failed.reason;
    },
    close: async () => void (await Promise.all([...lanes.values()].map(({ connection }) => connection.close()))),
  };
}
