import type { Timers } from "#drivers/timers.ts";

export interface ManualTimers {
  readonly timers: Timers;
  /** Waits that have not ended. */
  count(): number;
  /** Lets time pass, and ends the waits that are over, in their order. */
  pass(ms: number): void;
}

/** Waits end when the test says so. */
export function manualTimers(): ManualTimers {
  let now = 0;
  let last = 0;
  const waiting = new Map<number, { readonly at: number; readonly run: () => void }>();
  return {
    timers: {
      elapsed: () => now,
      after(ms, run) {
        last++;
        const id = last;
        waiting.set(id, { at: now + ms, run });
        return () => void waiting.delete(id);
      },
    },
    count: () => waiting.size,
    pass(ms) {
      now += ms;
      for (const [id, { at, run }] of [...waiting].toSorted(([, a], [, b]) => a.at - b.at)) {
        if (at > now) continue;
        waiting.delete(id);
        run();
      }
    },
  };
}
