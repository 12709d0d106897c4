// Chunks in PostgreSQL. The threads load this module by its address.
import type pg from "pg";
import { type Connection, createConnection, prepareDatabase } from "#store/postgres/connect.ts";
import { refuseUnsafe } from "#store/postgres/require-durable.ts";
import { isSpread as isSpreadOver } from "#store/postgres/spread.ts";
import type { ChunkAddress, OpenOptions, SharedChunks } from "#store/series/load-chunk-module.ts";
import type { SharedStore } from "#store/series/shared-store.ts";
import { type AppendLanes, createAppendLanes } from "./append-lanes.ts";
import { createClaims } from "./claims.ts";
import { createHeldPoints } from "./held-points.ts";
import { createPostgresReader } from "./postgres-chunk-reader.ts";
import { createPostgresChunkStore } from "./postgres-chunk-store.ts";
import { createReadCopy } from "./read-copy.ts";
import { createSharedJournal, takeBlock } from "./shared-journal.ts";
import { createTransactions, type Transactions } from "./transactions.ts";

/** `copy` is a server that follows this one. */
export const postgresChunks = (
  url: string,
  options: Pick<ChunkAddress, "copy" | "mustBeDurable"> = {},
): ChunkAddress => ({ module: import.meta.url, place: url, ...options });

export const chunkModule: SharedChunks = {
  async openShared(url, options) {
    await prepareDatabase(url);
    return await openTables(url, options);
  },
  openReader: async (url, _, copy) => {
    const connection = createConnection(url, { pipeline: false });
    const isSpread = await isSpreadAt(connection);
    return createPostgresReader({ connection, isSpread, copy: copy === undefined ? undefined : createReadCopy(copy) });
  },
};

/** The tables are there. A move opens them while nodes are kept out. */
export async function openTables(
  url: string,
  { forgetDamaged, onDamaged, mustBeDurable = false, isMove = false }: OpenOptions & { readonly isMove?: boolean },
): Promise<SharedStore> {
  // An acknowledgement waits for no background work, and reading by COPY cannot share a connection with others.
  const claims = createClaims(() => jobs.query, isMove);
  const refuse = async (client: pg.Client) => (mustBeDurable ? await refuseUnsafe(client) : undefined);
  const openAppends = () => createConnection(url, { pipeline: true, prepare: refuse });
  const connections = {
    appends: openAppends(),
    jobs: createConnection(url, {
      pipeline: true,
      async prepare(client) {
        await refuse(client);
        await claims.enter(client);
      },
    }),
    reads: createConnection(url, { pipeline: false }),
  };
  const jobs: Transactions = createTransactions(connections.jobs);
  const appends = createTransactions(connections.appends);
  let lanes: AppendLanes | undefined;
  const close = async () => {
    await Promise.all(
      [...Object.values(connections), ...(lanes === undefined ? [] : [lanes])].map((one) => one.close()),
    );
  };
  try {
    const isSpread = await isSpreadAt(connections.jobs);
    if (isSpread) lanes = createAppendLanes(jobs, openAppends);
    const block = await takeBlock(jobs);
    const journal = createSharedJournal({ lanes, appends, reads: connections.reads, block });
    if (forgetDamaged) await jobs.query("DELETE FROM telemetry_journal WHERE is_damaged = 1");
    const aside = await jobs.query("SELECT 1 FROM telemetry_journal WHERE is_damaged = 1 LIMIT 1");
    if (aside.rows.length > 0) onDamaged({ table: "journal", key: 0, start: 0, span: 0 });
    const held = await createHeldPoints(jobs, block);
    return createPostgresChunkStore({ isSpread, jobs, journal, claims, held, onDamaged, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** It is spread, if at all, while no node runs. */
async function isSpreadAt(connection: Connection): Promise<boolean> {
  return await isSpreadOver(await connection.get());
}
