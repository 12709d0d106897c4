import { performance } from "node:perf_hooks";
import { type Instant, instant } from "#core/time/instant.ts";
import type { After } from "#service/command/deadlines.ts";

export interface Clockwork {
  readonly now: () => Instant;
  /** Milliseconds on a clock that never jumps. */
  readonly elapsed: () => number;
  readonly after: After;
}

/** The real clocks. Everything below takes them as arguments, so that tests can hold them. */
export function createClockwork(): Clockwork {
  return {
    now: () => instant(Date.now()),
    elapsed: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}
