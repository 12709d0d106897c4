// An uncaught error is a bug of ours and no reason to stop a site: stored data is safe in its transactions, whatever
// one request, timer or device did. The error is logged with its stack, counted in /metrics and listed by /readyz as
// degraded until the next start, and everything else goes on. A failure that must end the process, such as that of a
// thread that stores data, ends it through `onFault`.
import type { Logger } from "pino";
import type { Troubles } from "#service/troubles.ts";

const MAX_LOGGED = 10;
const WITHIN_MS = 60_000;

const UNHANDLED = {
  part: "program",
  message: "an error that nobody handled: this is a bug in Busbar, and the log has its stack",
};

export interface UnhandledErrors {
  /** Earlier errors are reported too. */
  reportTo(troubles: Pick<Troubles, "report">): void;
}

/** `elapsed`: milliseconds on a monotonic clock. */
export function keepRunning(log: Logger, elapsed: () => number = () => performance.now()): UnhandledErrors {
  let since = elapsed();
  let count = 0;
  /** Errors that could not be reported yet. */
  let unreported = 0;
  let report = (): void => {
    unreported++;
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
      for (; unreported > 0; unreported--) report();
    },
  };
}
