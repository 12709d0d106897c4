import { performance } from "node:perf_hooks";

/** Timers for waiting calls, so that waits also work in virtual time. */
export interface Timers {
  /** Runs it once after this many milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Milliseconds on a monotonic clock with any origin. */
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
