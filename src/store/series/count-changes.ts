import type { Awaitable } from "#store/awaitable.ts";
import type { Changes, ChunkStore } from "./chunk-store.ts";

/**
 * Counts in one cell what is written to chunks: once before each commit and once after it. So while the number is odd, something is
 * being written, and answers that were computed under one even number, from beginning to end, are right as long as it stays the same.
 */
export function countChanges(store: ChunkStore, changes: Int32Array): ChunkStore {
  const counted = <Result>(write: () => Awaitable<Result>): Awaitable<Result> => {
    const count = () => Atomics.add(changes, 0, 1);
    count();
    let result: Awaitable<Result>;
    try {
      result = write();
    } catch (error) {
      count();
      throw error;
    }
    if (result instanceof Promise) return result.finally(count);
    count();
    return result;
  };
  return {
    ...store,
    commit: (all) => (touchesChunks(all) ? counted(() => store.commit(all)) : store.commit(all)),
    drop: (whose, before, limit) => counted(() => store.drop(whose, before, limit)),
  };
}

/** What only adds to the journal stays in memory, too: no hour of these points counts as sealed. */
function touchesChunks({ segments = [], deletedSegments = [], deletedDevice }: Changes): boolean {
  return segments.length > 0 || deletedSegments.length > 0 || deletedDevice !== undefined;
}
