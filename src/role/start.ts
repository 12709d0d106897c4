import type { Logger } from "pino";
import type { Config } from "#config";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { openStores } from "#role/open-stores.ts";
import type { Started } from "#role/start-role.ts";
import { createTroubles, type Troubles } from "#service/troubles.ts";
import { createClocks, watchClock } from "./clocks.ts";

export interface Running extends Started {
  readonly troubles: Troubles;
  stop(): Promise<void>;
}

/** Other `clocks` are for tests that set the clock. */
export async function start(
  config: Config,
  log: Logger,
  onFault: (error: Error) => void,
  real = createClocks((error) => log.error({ err: error }, "a timer failed")),
): Promise<Running> {
  const troubles = openTroubles(log);
  const clocks = { ...real, clock: watchClock(config.data, troubles, real) };
  // Resources are closed in reverse order, after a failed start as after a stop.
  const opened = new AsyncDisposableStack();
  try {
    const lists = { budgets: createByteBudgets(), shares: createShares(), troubles };
    const surroundings = { config, log, opened, clocks, ...lists };
    // The journal is replayed on its thread while this one loads the rest of the program, which takes about as long.
    const loading = import("#role/start-role.ts");
    // Reported below. The stores come first: what opens after a failed start would never be closed.
    loading.catch(() => {});
    const stores = await openStores(surroundings, onFault);
    const { startRole } = await loading;
    const started = await startRole(stores, surroundings);
    return { ...started, troubles, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

function openTroubles(log: Logger): Troubles {
  return createTroubles(
    ({ part, message }, details) => log.warn({ part, ...details }, `degraded: ${message}`),
    (part) => log.info({ part }, "no longer degraded"),
  );
}
