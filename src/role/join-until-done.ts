import { AppError } from "#core/app-error.ts";
import type { Troubles } from "#service/troubles.ts";

interface JoinUntilDoneNeeds {
  readonly join: () => Promise<void>;
  readonly troubles: Pick<Troubles, "report" | "clear">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

const PART = "joining";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Joins the cloud of the settings. A gateway may start before its network or its cloud does, and nobody is there to start
 * it again: until the cloud lets it in, it tries again.
 */
export async function joinUntilDone(needs: JoinUntilDoneNeeds, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      await needs.join();
      return needs.troubles.clear(PART);
    } catch (error) {
      needs.troubles.report({ part: PART, message: "the cloud of the settings could not be joined" }, { err: error });
      if (!(error instanceof AppError) || error.code !== "cloud_unreachable") return;
    }
    await needs.pause(waitMs * (0.5 + needs.random() / 2), signal);
  }
}
