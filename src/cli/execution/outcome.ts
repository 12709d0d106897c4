import { renderPayload } from "#cli/execution/render-payload.ts";
import { EXIT, type ExitCode } from "#cli/exit-code.ts";
import type { Execution } from "#client/resources.ts";

/** What a gateway writes when it was restarted while a command ran. */
const INTERRUPTED = /\boutcome unknown\b/;

type Outcome = {
  readonly exitCode: ExitCode;
  /** What to print and what to do next; nothing after a success. */
  readonly lines: readonly string[];
};

/** What the end of an execution means for the waiting caller. */
export function outcomeOf(execution: Execution): Outcome {
  const place = `${execution.device_id} ${execution.id}`;
  const payload = renderPayload(execution.response?.payload);
  switch (execution.state) {
    case "SUCCESS":
      return { exitCode: EXIT.ok, lines: [] };
    case "ERROR":
      return INTERRUPTED.test(String(execution.response?.payload?.["message"]))
        ? {
            exitCode: EXIT.unknownOutcome,
            lines: [`nobody knows what the device did: ${payload}`, "  look at the device before you run it again"],
          }
        : { exitCode: EXIT.deviceError, lines: [`the device answered with an error: ${payload}`] };
    case "TIMEOUT":
      return {
        exitCode: EXIT.timeout,
        lines:
          execution.response === undefined
            ? [
                "the command was not handed to the device in time",
                `  is the device connected? busbar device get ${execution.device_id}`,
              ]
            : [
                "the device did not answer in time; whether it executed the command is not known",
                `  a late answer still counts: busbar execution get ${place}`,
              ],
      };
    case "UNSYNC":
      return {
        exitCode: EXIT.unknownOutcome,
        lines: [
          "the gateway has the command or may have it, and what came of it is not known here yet",
          `  wait for it: busbar execution wait ${place}`,
        ],
      };
    case "NEW":
    case "IN_PROGRESS":
      return {
        exitCode: EXIT.timeout,
        lines: [
          `still ${execution.state} when --timeout was over; it may still run`,
          `  wait for it: busbar execution wait ${place}`,
        ],
      };
  }
}
