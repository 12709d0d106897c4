// A byte budget in which each key has a limited part, so that one caller cannot fill it for all.
import type { ByteBudget } from "./byte-budgets.ts";

/** Gives the bytes back. Further calls do nothing. */
export type GiveBack = () => void;

export interface ByteShares {
  /** Counts the bytes, or says whose part is full. */
  take(key: string, bytes: number): GiveBack | "key is full" | "all is full";
}

export function createByteShares(budget: ByteBudget, perKey: number): ByteShares {
  const usedBy = new Map<string, number>();
  return {
    take(key, bytes) {
      const used = usedBy.get(key) ?? 0;
      if (used + bytes > perKey) return "key is full";
      if (!budget.take(bytes)) return "all is full";
      usedBy.set(key, used + bytes);
      let isGiven = false;
      return () => {
        if (isGiven) return;
        isGiven = true;
        budget.give(bytes);
        const left = (usedBy.get(key) ?? 0) - bytes;
        if (left > 0) usedBy.set(key, left);
        else usedBy.delete(key);
      };
    },
  };
}
