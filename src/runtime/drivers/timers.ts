import { performance } from "node:perf_hooks";

/** Time for those who wait, so that waits pass in a virtual time too. */
export interface Timers {
  /** Runs it once, so many milliseconds later; the answer takes that back. */
  after(ms: number, run: () => void): () => void;
  /** Milliseconds that only ever grow, from any origin. */
  elapsed(): number;
}

/** A pending wait does not keep a process alive. */
export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  elapsed: () => performance.now(),
};
