// Which database holds the chunks is data: a role names a module, and each thread loads it by that name. So no file of
// the engine knows a database.
import type { Awaitable } from "#store/awaitable.ts";
import type { ChunkReader } from "./chunk-reader.ts";
import type { ChunkStore, OnDamaged } from "./chunk-store.ts";
import type { SharedStore } from "./shared-store.ts";

/** Can be sent to a thread. */
export interface ChunkAddress {
  /** The address of a module whose `chunkModule` is a ChunkModule. */
  readonly module: string;
  /** What the module opens: a file, or the address of a server. */
  readonly place: string;
  /** A copy that follows the store, where there is one: chunks may be read from it. */
  readonly copy?: string | undefined;
  /** Nothing is written by a connection to a server that may lose commits it has acknowledged. */
  readonly mustBeDurable?: boolean;
}

export interface OpenOptions {
  /** Deletes the parts of the journal that were damaged before this start, and no longer reports them. */
  readonly forgetDamaged: boolean;
  readonly onDamaged: OnDamaged;
  /** As in the address. */
  readonly mustBeDurable?: boolean | undefined;
}

interface ChunkReaders {
  /** One for small queries on a busy thread needs little memory. */
  openReader(place: string, purpose: "queries" | "small queries", copy?: string): Awaitable<ChunkReader>;
}

/** A store that only this process writes to. */
export interface OwnChunks extends ChunkReaders {
  openStore(place: string, options: OpenOptions): Awaitable<ChunkStore>;
  /**
   * If the error means that the whole store is unreadable: moves it away, so that the next opening finds an empty one,
   * and returns its new name. Everything opened must be closed.
   */
  setAside(place: string, error: unknown): string | undefined;
}

/** A store that several nodes write to. */
export interface SharedChunks extends ChunkReaders {
  openShared(place: string, options: OpenOptions): Promise<SharedStore>;
}

export type ChunkModule = OwnChunks | SharedChunks;

export async function loadChunkModule({ module }: ChunkAddress): Promise<ChunkModule> {
  const loaded = (await import(module)) as { readonly chunkModule: ChunkModule };
  return loaded.chunkModule;
}
