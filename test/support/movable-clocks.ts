import { type Instant, instant } from "#core/time/instant.ts";
import { type Clocks, createClocks } from "#role/clocks.ts";

export interface MovableClocks extends Clocks {
  /** Lets so much time pass at once; what falls due in it happens now, in its order. */
  advance(ms: number): void;
  /** While the work is done, the wall clock stands still. */
  standStill(work: () => Promise<unknown>): Promise<void>;
}

/** The real clocks, which a check can move forward together. */
export function createMovableClocks(): MovableClocks {
  const real = createClocks();
  let shift = 0;
  let stopped: Instant | undefined;
  const waiting = new Map<symbol, { readonly due: number; readonly run: () => void }>();
  const elapsed = () => real.elapsed() + shift;
  return {
    elapsed,
    now: () => stopped ?? instant(real.now() + shift),
    after(ms, callback) {
      const id = Symbol();
      const run = () => {
        callOff();
        callback();
      };
      const stop = real.after(ms, run);
      const callOff = () => {
        stop();
        waiting.delete(id);
      };
      waiting.set(id, { due: elapsed() + ms, run });
      return callOff;
    },
    advance(ms) {
      shift += ms;
      const due = [...waiting.values()].filter((timer) => timer.due <= elapsed()).sort((a, b) => a.due - b.due);
      for (const { run } of due) run();
    },
    async standStill(work) {
      stopped = instant(real.now() + shift);
      try {
        await work();
      } finally {
        stopped = undefined;
      }
    },
  };
}
