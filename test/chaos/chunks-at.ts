import type { ChunkAddress } from "#store/series/load-chunk-module.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";

/** A file, or the address of a PostgreSQL database. */
export function chunksAt(place: string): ChunkAddress {
  return place.startsWith("postgres:") ? postgresChunks(place) : sqliteChunks(place);
}
