import type { Logger } from "pino";

interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly task: () => Promise<void>;
}

/** Runs a chore again and again, never twice at once; a failure is logged and the next round tries again. */
export function repeat(log: Logger, { name, everyMs, task }: Chore): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const round = () => {
    running ??= task()
      .catch((error: unknown) => log.error({ err: error, chore: name }, "a chore failed"))
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
