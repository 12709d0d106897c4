// Chunks in one SQLite file. The threads load this module by its address.
import { existsSync, renameSync } from "node:fs";
import type { ChunkAddress, OwnChunks } from "#store/series/load-chunk-module.ts";
import { Connection, isCorrupt } from "#store/sqlite/connection.ts";
import { makePrivate } from "#store/sqlite/make-private.ts";
import { damagedJournal, forgetDamagedJournal } from "./damaged-journal.ts";
import { createSqliteReader } from "./sqlite-chunk-reader.ts";
import { createSqliteChunkStore } from "./sqlite-chunk-store.ts";

/** Pages that SQLite keeps for a connection, in megabytes. */
const CACHE_MB = { queries: 4, "small queries": 1, writes: 4 };

export const sqliteChunks = (file: string): ChunkAddress => ({ module: import.meta.url, place: file });

export const chunkModule: OwnChunks = {
  openStore(file, { forgetDamaged, onDamaged }) {
    makePrivate(file);
    const database = new Connection(file, "write", CACHE_MB.writes);
    try {
      const store = createSqliteChunkStore(database, onDamaged);
      if (forgetDamaged) forgetDamagedJournal(database);
      const aside = damagedJournal(database);
      if (aside !== undefined) onDamaged(aside);
      return store;
    } catch (error) {
      database.close();
      throw error;
    }
  },
  openReader: (file, purpose) => createSqliteReader(new Connection(file, "read", CACHE_MB[purpose])),
  setAside: (file, error) => (isCorrupt(error) ? renameFile(file) : undefined),
};

/** Renames the file and its companion files; returns the new name. */
function renameFile(file: string): string {
  let count = 1;
  while (existsSync(`${file}.damaged-${count}`)) count++;
  const aside = `${file}.damaged-${count}`;
  for (const end of ["", "-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, aside + end);
  return aside;
}
