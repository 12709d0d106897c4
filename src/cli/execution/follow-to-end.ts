import type { Cli } from "#cli/cli.ts";
import { outcomeOf } from "#cli/execution/outcome.ts";
import { printExecution } from "#cli/execution/print-execution.ts";
import { renderPayload } from "#cli/execution/render-payload.ts";
import { EXIT } from "#cli/exit-code.ts";
import { complain } from "#cli/print.ts";
import { startProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import type { ClientFlags, Session } from "#cli/session.ts";
import type { CommandResponse, Execution } from "#client/resources.ts";

/** A gateway that is away may stay away for days. */
const UNSYNC_PATIENCE = 60_000;

type Place = {
  readonly deviceId: string;
  readonly executionId: string;
  /** What the progress says, such as the device and the command. */
  readonly label: string;
  /** Whether each response is printed as it comes. */
  readonly isLive: boolean;
};

/** Waits for the end of an execution. Gives it as it stands when --timeout is over or the gateway stays away. */
export async function followToEnd(
  cli: Cli,
  { client }: Session,
  { deviceId, executionId, label, isLive, timeout }: Place & { readonly timeout?: number | undefined },
): Promise<Execution> {
  const leaving = new AbortController();
  const giveUp = () => leaving.abort();
  const patience = timeout === undefined ? undefined : setTimeout(giveUp, timeout);
  let interrupted = false;
  const unlisten = cli.onInterrupt?.(() => {
    interrupted = true;
    leaving.abort();
  });
  const progress = startProgress(cli, label);
  let unsync: NodeJS.Timeout | undefined;
  let last: Execution | undefined;
  try {
    for await (const update of client.commands.follow(deviceId, executionId, { signal: leaving.signal })) {
      last = update.execution;
      progress.relabel(`${label} ${last.state}`);
      if (isLive) for (const response of update.responses) progress.say(renderResponse(last, response));
      clearTimeout(unsync);
      if (last.state === "UNSYNC") unsync = setTimeout(giveUp, UNSYNC_PATIENCE);
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  } finally {
    clearTimeout(patience);
    clearTimeout(unsync);
    unlisten?.();
    progress.stop();
  }
  if (interrupted) throw interruption(cli, deviceId, executionId);
  return last ?? (await client.commands.get(deviceId, executionId)).execution;
}

/** Prints how an execution ended; the exit code means to a script the same. */
export async function printOutcome(cli: Cli, flags: ClientFlags, execution: Execution): Promise<void> {
  const { log: _, ...plain } = execution;
  await printExecution(cli, flags, { execution: plain });
  const { exitCode, lines } = outcomeOf(execution);
  if (exitCode === EXIT.ok) return;
  complain(cli, lines);
  throw new QuietFailure(exitCode);
}

function interruption(cli: Cli, deviceId: string, executionId: string): QuietFailure {
  complain(cli, [
    "interrupted: the command itself continues, and the device may still run it",
    `  follow it with: busbar execution watch ${deviceId} ${executionId}`,
  ]);
  return new QuietFailure(EXIT.interrupted);
}

/** `  1.2s  IN_PROGRESS  heating to 40`: how long after its creation, and what the device said. */
function renderResponse(execution: Execution, { state, payload, received_at }: CommandResponse): string {
  const seconds = Math.max(0, Date.parse(received_at) - Date.parse(execution.created_at)) / 1000;
  return `${seconds.toFixed(1).padStart(6)}s  ${state.padEnd("IN_PROGRESS".length)}  ${renderPayload(payload)}`.trimEnd();
}
