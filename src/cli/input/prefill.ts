import type { Cli } from "#cli/cli.ts";
import { createExecution } from "#cli/execution/create-execution.ts";
import { followToEnd } from "#cli/execution/follow-to-end.ts";
import { outcomeOf } from "#cli/execution/outcome.ts";
import { EXIT } from "#cli/exit-code.ts";
import { showValues, type Values } from "#cli/input/describe-input.ts";
import { complain, remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import type { Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Device } from "#client/resources.ts";
import type { Command } from "#core/blueprint/blueprint.ts";

type Wanted = { readonly device: Device; readonly command: Command; readonly given: Values };

/** The present values of arguments that were not given, as the command that the manifest names for it answers them. */
export async function prefill(cli: Cli, session: Session, { device, command, given }: Wanted): Promise<Values> {
  const name = command.populateValuesCommand;
  if (name === undefined) {
    throw new UsageError(`${command.id} has no command that reads its present values: leave --prefill out`);
  }
  // Nobody looks for this reading later.
  const executionId = await createExecution(session, device.id, { name, ephemeral: true });
  const place = { deviceId: device.id, executionId, label: `${device.slug} ${name}`, isLive: false };
  const execution = await followToEnd(cli, session, place);
  const { exitCode, lines } = outcomeOf(execution);
  if (exitCode !== EXIT.ok) {
    complain(cli, [`${name}, which reads the present values, failed; nothing else was sent`, ...lines]);
    throw new QuietFailure(exitCode);
  }
  const payload = execution.response?.payload ?? {};
  const present: Record<string, unknown> = Object.create(null);
  for (const argument of command.arguments.keys()) {
    if (Object.hasOwn(given, argument) || !Object.hasOwn(payload, argument)) continue;
    if (payload[argument] !== null) present[argument] = payload[argument];
  }
  remark(cli, `from ${name}: ${showValues(command.arguments, present) || "nothing that fits"}`);
  return present;
}
