import type { Execution } from "#client/resources.ts";

export type ExecutionLine = {
  /** Percent, if the device reports it. */
  readonly progress: number | undefined;
  /** The latest words of the device. */
  readonly message: string | undefined;
  /** Milliseconds from the start to the last answer of an execution that has ended. */
  readonly duration: number | undefined;
};

const ENDED = new Set(["SUCCESS", "ERROR"]);

export function executionLine({ state, created_at, response }: Execution): ExecutionLine {
  const payload = response?.payload;
  const progress = [payload?.["progress"], payload?.["percent"]].find((value) => typeof value === "number");
  const message = payload?.["message"];
  const duration =
    ENDED.has(state) && response !== undefined ? Date.parse(response.received_at) - Date.parse(created_at) : undefined;
  return {
    progress: progress === undefined ? undefined : Math.min(100, Math.max(0, progress)),
    message: typeof message === "string" ? message : undefined,
    duration: duration === undefined || Number.isNaN(duration) ? undefined : Math.max(0, duration),
  };
}
