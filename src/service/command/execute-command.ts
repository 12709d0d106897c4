import { refuse } from "#core/app-error.ts";
import { type Execution, hasEnded } from "#core/command/execution.ts";
import { type CreateNeeds, createExecution, type ExecutionInput } from "#service/command/create-execution.ts";
import type { Call } from "#service/ports.ts";

interface Patience {
  /** Called once; its result is not kept while the call waits. */
  readonly input: () => ExecutionInput;
  /** Called once the execution is stored, before the wait. */
  readonly stored: () => void;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Creates the execution. Answers when it has ended, or with its current state when the wait is over. */
export async function executeCommand(needs: CreateNeeds, call: Call, patience: Patience): Promise<Execution> {
  const created = await create(needs, call, patience);
  patience.stored();
  if ("ended" in created) return created.ended;
  const { id, deviceId } = created;
  const ended = await needs.dispatcher.waitForEnd(created, patience.waitMs, patience.signal);
  const execution = ended ?? (await needs.executions.find(deviceId, id, needs.now()));
  if (execution !== undefined) return execution;
  throw refuse("not_found", `execution ${id} was deleted together with its device before it finished`);
}

/**
 * A separate function, because a waiting function keeps all its variables: here the arguments, up to 1 MiB per call.
 */
async function create(
  needs: CreateNeeds,
  call: Call,
  { input }: Patience,
): Promise<Pick<Execution, "id" | "deviceId"> | { readonly ended: Execution }> {
  const execution = await createExecution(needs, call, input());
  const { id, deviceId, state } = execution;
  return hasEnded(state) ? { ended: execution } : { id, deviceId };
}
