// Chunks in PostgreSQL. The threads load this module by its address.
import type { Client } from "pg";
import { createConnection, prepareDatabase } from "#store/postgres/connect.ts";
import type { ChunkAddress, ChunkModule } from "#store/series/load-chunk-module.ts";
import { createPostgresReader } from "./postgres-chunk-reader.ts";
import { createPostgresChunkStore } from "./postgres-chunk-store.ts";

export const postgresChunks = (url: string): ChunkAddress => ({ module: import.meta.url, place: url });

/** Held by the node that writes telemetry. */
const WRITER_LOCK = 7_238_411_906;

export const chunkModule: ChunkModule = {
  async openStore(url, { forgetDamaged, onDamaged }) {
    await prepareDatabase(url);
    const connection = createConnection(url, { pipeline: true, prepare: becomeWriter });
    try {
      const client = await connection.get();
      if (forgetDamaged) await client.query("DELETE FROM telemetry_journal WHERE is_damaged = 1");
      const aside = await client.query("SELECT 1 FROM telemetry_journal WHERE is_damaged = 1 LIMIT 1");
      if (aside.rows.length > 0) onDamaged({ table: "journal", key: 0, start: 0, span: 0 });
      return await createPostgresChunkStore(connection, onDamaged);
    } catch (error) {
      await connection.close();
      throw error;
    }
  },
  openReader: async (url) => {
    const connection = createConnection(url, { pipeline: false });
    await connection.get();
    return createPostgresReader(connection);
  },
  // A server repairs itself, or its operator restores it.
  setAside: () => undefined,
};

async function becomeWriter(client: Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [WRITER_LOCK]);
  if (rows[0]?.locked !== true)
    throw new Error("another Busbar uses this database; several of them on one database do not work yet");
}
