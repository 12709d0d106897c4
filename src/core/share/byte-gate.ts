// Starts work in its order as long as the bytes of all running work fit a budget. The rest waits and holds nothing yet.
import type { ByteBudget } from "./byte-budgets.ts";

/** Ends the work that was let in. Further calls do nothing. */
export type Leave = () => void;

export interface ByteGate {
  /** Enters at once if there is room and nobody waits. Work larger than the whole budget runs alone. */
  enter(bytes: number): Leave | Promise<Leave>;
}

export function createByteGate(budget: ByteBudget): ByteGate {
  const waiting: { readonly bytes: number; readonly start: (leave: Leave) => void }[] = [];
  function begin(size: number): Leave | undefined {
    const bytes = Math.min(size, budget.limit);
    if (!budget.take(bytes)) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      budget.give(bytes);
      startNext();
    };
  }
  function startNext(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const leave = begin(next.bytes);
      if (leave === undefined) return;
      waiting.shift();
      next.start(leave);
    }
  }
  return {
    enter(bytes) {
      const leave = waiting.length === 0 ? begin(bytes) : undefined;
      return leave ?? new Promise((start) => void waiting.push({ bytes, start }));
    },
  };
}
