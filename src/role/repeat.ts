import type { Logger } from "pino";

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly task: () => Promise<void>;
}

/**
 * Runs a chore periodically, never twice at once. After a failure the next round tries again. Only the first of several
 * failures in a row is logged.
 */
export function repeat(log: Logger, { name, everyMs, task }: Chore): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isFailing = false;
  const round = () => {
    running ??= task()
      .then(() => {
        isFailing = false;
      })
      .catch((error: unknown) => {
        if (!isFailing) log.error({ err: error, chore: name }, "a chore failed");
        isFailing = true;
      })
      .finally(() => {
        running = undefined;
      });
  };
  const timer = setInterval(round, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
