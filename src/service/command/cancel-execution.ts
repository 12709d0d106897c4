// Cancels an execution. One that waits for its device ends at once. Of one that has begun, the device is asked, if its
// blueprint says how.
import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import { CANCELLED_ARGUMENT, type Command } from "#core/blueprint/blueprint.ts";
import { type Execution, hasEnded, isCancelled } from "#core/command/execution.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { type CreateNeeds, createExecution } from "#service/command/create-execution.ts";
import { readExecution } from "#service/command/read-executions.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface CancelNeeds extends CreateNeeds, Pick<Needs, "sites"> {}

interface Which {
  readonly device: string;
  readonly executionId: string;
}

export interface Cancelled {
  /** As it is now. */
  readonly execution: Execution;
  /** The execution of the command that asks the device, if it was asked. */
  readonly cancelling: Execution | undefined;
}

/** A device that refused to cancel may be asked again, so often. */
const MOST_ASKED = 20;

export async function cancelExecution(needs: CancelNeeds, call: Call, which: Which): Promise<Cancelled> {
  const ended = await cancelUnsent(needs, call, which);
  if (ended !== undefined) return { execution: ended, cancelling: undefined };
  const execution = await readExecution(needs, call, which);
  if (hasEnded(execution.state)) throw refuse("not_cancellable", `the execution has ended with ${execution.state}`);
  const { manifestName } = execution.request;
  const cancelCommand = await cancelCommandOf(needs, execution);
  if (cancelCommand === undefined || execution.isRemote) {
    throw refuse("not_cancellable", `${manifestName} has begun, and its blueprint names no command that cancels it`);
  }
  return { execution, cancelling: await askDevice(needs, call, { execution, cancelCommand }) };
}

/** Undefined when it may have reached its device, or has ended. One that was cancelled before is answered again. */
export async function cancelUnsent(needs: CancelNeeds, call: Call, which: Which): Promise<Execution | undefined> {
  const execution = await readExecution(needs, call, which);
  const needed = (await commandOf(needs, execution))?.accessLevel ?? execution.readLevel;
  if (!allows(call.caller.level, needed)) {
    const { manifestName } = execution.request;
    throw refuse(
      "forbidden",
      `cancelling ${manifestName} takes access level ${needed}; the token has ${call.caller.level}`,
      {
        needed,
      },
    );
  }
  if (isCancelled(execution)) return execution;
  const { id, deviceId, siteId } = execution;
  const trail = auditTrail(needs, call, {
    target: { siteId, deviceId },
    details: { execution_id: id, command: execution.request.manifestName },
  });
  return await needs.dispatcher.cancel(execution, trail);
}

/** Undefined when the blueprint of now does not have it. */
async function commandOf(needs: CancelNeeds, { deviceId, request }: Execution): Promise<Command | undefined> {
  return (await commandsOf(needs, deviceId))?.get(request.manifestName);
}

async function cancelCommandOf(needs: CancelNeeds, { deviceId, request }: Execution): Promise<Command | undefined> {
  const commands = await commandsOf(needs, deviceId);
  return commands?.get(commands.get(request.manifestName)?.cancelCommand ?? "");
}

async function commandsOf(needs: CancelNeeds, deviceId: string) {
  const device = await needs.devices.find(deviceId);
  return device && (await deviceBlueprint(needs, device))?.commands;
}

/** One caller asks once, unless the device did not do it. */
async function askDevice(
  needs: CancelNeeds,
  call: Call,
  { execution, cancelCommand }: { readonly execution: Execution; readonly cancelCommand: Command },
): Promise<Execution> {
  const names = cancelCommand.arguments.has(CANCELLED_ARGUMENT);
  let last = execution;
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    const cancelling = await createExecution(needs, call, {
      device: execution.deviceId,
      name: cancelCommand.id,
      arguments: names ? { [CANCELLED_ARGUMENT]: execution.id } : {},
      ephemeral: false,
      idempotencyKey: `cancel:${last.id}`,
      withLog: false,
      about: { cancelled_execution_id: execution.id },
    });
    if (!hasEnded(cancelling.state) || cancelling.state === "SUCCESS") return cancelling;
    last = cancelling;
  }
  throw refuse("not_cancellable", `the device was asked ${MOST_ASKED} times to cancel it, and did not do it`);
}
