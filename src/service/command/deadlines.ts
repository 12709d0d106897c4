// One timer per open execution. It runs on the timer's own clock, so that a jump of the wall clock neither ends an
// execution early nor keeps it for ever.
import type { Instant } from "#core/time/instant.ts";

export interface Deadlines {
  /** Replaces the execution's former timer. */
  set(executionId: string, deadline: Instant, inMs: number): void;
  clear(executionId: string): void;
  stop(): void;
}

/** Calls back after `ms`; gives the function that calls it off. */
export type After = (ms: number, callback: () => void) => () => void;

export function createDeadlines(after: After, onPassed: (executionId: string, deadline: Instant) => void): Deadlines {
  const timers = new Map<string, () => void>();
  return {
    set(executionId, deadline, inMs) {
      timers.get(executionId)?.();
      const callOff = after(Math.max(0, inMs), () => {
        timers.delete(executionId);
        onPassed(executionId, deadline);
      });
      timers.set(executionId, callOff);
    },
    clear(executionId) {
      timers.get(executionId)?.();
      timers.delete(executionId);
    },
    stop() {
      for (const callOff of timers.values()) callOff();
      timers.clear();
    },
  };
}
