import type { Drivers } from "#drivers/drivers.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import type { Timers } from "./timers.ts";

/** A script that polls ten devices has some hundred calls a second; one that calls in an endless loop has thousands. */
const CALLS_PER_SECOND = 250;
const BURST = 500;

/**
 * Paces the calls of a script: a script that calls more often waits a little longer each time. Without it an endless
 * loop of calls would keep the main thread busy with messages to hardware ports.
 */
export function paceDrivers(drivers: Drivers, timers: Timers): Drivers {
  let tokens = BURST;
  let filledAt = timers.elapsed();
  let isClosed = false;
  /** The waiting calls, each with its continuation. */
  const waiting = new Map<() => void, () => void>();

  const take = (cost: number): number => {
    const now = timers.elapsed();
    tokens = Math.min(BURST, tokens + ((now - filledAt) * CALLS_PER_SECOND) / 1000) - cost;
    filledAt = now;
    return tokens >= 0 ? 0 : Math.ceil((-tokens * 1000) / CALLS_PER_SECOND);
  };
  return {
    async call(name, args) {
      const waitMs = isClosed ? 0 : take(costOf(args));
      if (waitMs > 0)
        await new Promise<void>((resolve) => {
          const goOn = () => {
            waiting.delete(goOn);
            resolve();
          };
          waiting.set(goOn, timers.after(waitMs, goOn));
        });
      return await drivers.call(name, args);
    },
    close() {
      isClosed = true;
      drivers.close();
      for (const [goOn, cancel] of waiting) {
        cancel();
        goOn();
      }
    },
  };
}

/** A batch of queries counts as one call per query. */
function costOf(args: readonly LuaValue[]): number {
  const [, queries] = args;
  return Array.isArray(queries) ? Math.max(1, queries.length) : 1;
}
