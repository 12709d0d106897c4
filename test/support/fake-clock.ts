import { type Instant, instant } from "#core/time/instant.ts";
import type { After } from "#service/deadlines.ts";

export interface FakeClock {
  readonly now: () => Instant;
  readonly after: After;
  /** How many timers wait. */
  readonly waiting: number;
  /** Lets time pass; each timer goes off at its own moment, and what it started is done before the next one. */
  advance(ms: number): Promise<void>;
  /** Lets everything that needs no time happen. */
  settle(): Promise<void>;
}

/** Time that stands still until a test lets it pass. */
export function createFakeClock(start: Instant): FakeClock {
  let now = start;
  let lastId = 0;
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after(ms, callback) {
      const id = ++lastId;
      timers.set(id, { at: now + Math.max(0, ms), callback });
      return () => timers.delete(id);
    },
    get waiting() {
      return timers.size;
    },
    settle,
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settle();
        const due = [...timers]
          .filter(([, timer]) => timer.at <= end)
          .sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
        if (due === undefined) break;
        const [id, { at, callback }] = due;
        timers.delete(id);
        now = instant(at);
        callback();
      }
      now = instant(end);
      await settle();
    },
  };
}

/** For what waits for a moment that does not come in the test. */
export const NEVER: After = () => () => {};
