// An error that nobody caught is a bug of ours, and no reason to stop a site: what is stored is safe in its transaction
// whatever one request, timer or device did. It is logged with its stack, counted in /metrics and listed by /readyz as degraded
// until the next start, and the rest goes on. What must end the process, such as a thread that keeps data, ends it by `onFault`.
import type { Logger } from "pino";
import type { Troubles } from "#service/troubles.ts";

const MAX_LOGGED = 10;
const WITHIN_MS = 60_000;

const UNHANDLED = {
  part: "program",
  message: "an error that nobody handled: this is a bug in Busbar, and the log has its stack",
};

export interface UnhandledErrors {
  /** What came before is told too. */
  reportTo(troubles: Pick<Troubles, "report">): void;
}

/** `elapsed`: milliseconds on a clock that never jumps. */
export function keepRunning(log: Logger, elapsed: () => number = () => performance.now()): UnhandledErrors {
  let since = elapsed();
  let count = 0;
  /** Those that nobody could be told yet. */
  let untold = 0;
  let report = (): void => {
    untold++;
  };
  process.on("uncaughtException", (error) => {
    const now = elapsed();
    if (now - since > WITHIN_MS) {
      if (count > MAX_LOGGED) log.error({ leftOut: count - MAX_LOGGED }, "more errors that nobody handled");
      since = now;
      count = 0;
    }
    count++;
    if (count <= MAX_LOGGED) log.error({ err: error }, UNHANDLED.message);
    report();
  });
  return {
    reportTo(troubles) {
      report = () => troubles.report(UNHANDLED);
      for (; untold > 0; untold--) report();
    },
  };
}
