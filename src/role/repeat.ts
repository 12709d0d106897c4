import type { Logger } from "pino";
import type { ChoreHealth } from "#service/chore-health.ts";

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** The signal is aborted when the work is to stop. */
  readonly task: (stopping: AbortSignal) => Promise<void>;
}

export interface RepeatNeeds {
  readonly log: Logger;
  readonly choreHealth: Pick<ChoreHealth, "succeeded" | "failed">;
}

/** Seldom work that failed is tried again sooner. */
const AGAIN_MS = 60_000;

/**
 * Runs a chore periodically, never twice at once. After a failure it is tried again. Only the first of several failures
 * in a row is logged; that it goes on failing is a trouble.
 */
export function repeat(
  { log, choreHealth }: RepeatNeeds,
  { name, everyMs, task }: Chore,
): {
  stop(): Promise<void>;
} {
  let running: Promise<void> | undefined;
  let isFailing = false;
  const stopping = new AbortController();
  let again: NodeJS.Timeout | undefined;
  const fail = (error: unknown) => {
    if (!isFailing) log.error({ err: error, chore: name }, "a chore failed");
    isFailing = true;
    choreHealth.failed(name, error);
    if (everyMs > AGAIN_MS && !stopping.signal.aborted) again = setTimeout(round, AGAIN_MS);
  };
  const round = () => {
    clearTimeout(again);
    running ??= task(stopping.signal)
      .then(() => {
        isFailing = false;
        choreHealth.succeeded(name);
      })
      .catch(fail)
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(round, everyMs);
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      clearTimeout(again);
      await running;
    },
  };
}
