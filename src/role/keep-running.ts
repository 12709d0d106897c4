// An error that nobody caught is a bug of ours, and no reason to stop a site: what is stored is safe in its transaction
// whatever one request, timer or device did. It is logged with its stack, and the rest goes on. What must end the
// process, such as a thread that keeps data, ends it by `onFault`.
import type { Logger } from "pino";

const MAX_LOGGED = 10;
const WITHIN_MS = 60_000;

/** Gives the function that ends it. `elapsed`: milliseconds on a clock that never jumps. */
export function keepRunning(log: Logger, elapsed: () => number = () => performance.now()): () => void {
  let since = elapsed();
  let count = 0;
  const onError = (error: unknown) => {
    const now = elapsed();
    if (now - since > WITHIN_MS) {
      if (count > MAX_LOGGED) log.error({ leftOut: count - MAX_LOGGED }, "more errors that nobody handled");
      since = now;
      count = 0;
    }
    count++;
    if (count <= MAX_LOGGED) log.error({ err: error }, "an error that nobody handled: this is a bug in Busbar");
  };
  process.on("uncaughtException", onError);
  return () => process.off("uncaughtException", onError);
}
