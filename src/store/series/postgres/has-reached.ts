import type { StoreState } from "#store/series/chunk-reader.ts";

/** Whether what was read in one state of the store has everything of another. */
export function hasReached(state: StoreState, since: StoreState): boolean {
  const epochs = new Map(state);
  return since.every(([partition, epoch]) => (epochs.get(partition) ?? -1) >= epoch);
}
