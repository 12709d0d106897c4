// One timer per open execution. It runs on a monotonic clock, so a jump of the wall clock neither ends an execution
// early nor keeps it for ever.
import type { Instant } from "#core/time/instant.ts";

export interface Deadlines {
  /** Replaces the execution's former timer. */
  set(executionId: string, deadline: Instant, inMs: number): void;
  clear(executionId: string): void;
  /** Whether one is set and has not passed. */
  has(executionId: string): boolean;
  readonly count: number;
  /** Permanent: timers that are set later never fire. */
  stop(): void;
}

/** Calls back after `ms`; returns the function that cancels it. */
export type After = (ms: number, callback: () => void) => () => void;

/** The longest time of a timer; with a longer one Node would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export function createDeadlines(after: After, onPassed: (executionId: string, deadline: Instant) => void): Deadlines {
  const timers = new Map<string, () => void>();
  let stopped = false;
  function set(executionId: string, deadline: Instant, inMs: number): void {
    timers.get(executionId)?.();
    if (stopped) return;
    const step = Math.min(Math.max(0, inMs), LONGEST_MS);
    const callOff = after(step, () => {
      timers.delete(executionId);
      if (inMs > step) set(executionId, deadline, inMs - step);
      else onPassed(executionId, deadline);
    });
    timers.set(executionId, callOff);
  }
  return {
    set,
    clear(executionId) {
      timers.get(executionId)?.();
      timers.delete(executionId);
    },
    has: (executionId) => timers.has(executionId),
    get count() {
      return timers.size;
    },
    stop() {
      stopped = true;
      for (const callOff of timers.values()) callOff();
      timers.clear();
    },
  };
}
