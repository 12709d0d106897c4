import { type Execution, isOpen } from "#core/command/execution.ts";
import { type CreateNeeds, createExecution, type ExecutionInput } from "#service/command/create-execution.ts";
import type { Call } from "#service/ports.ts";

interface Patience {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Creates the execution and answers when it has ended, or with its state when the wait is over. */
export async function executeCommand(
  needs: CreateNeeds,
  call: Call,
  { input, waitMs, signal }: Patience & { readonly input: ExecutionInput },
): Promise<Execution> {
  const created = await createExecution(needs, call, input);
  if (!isOpen(created.state)) return created;
  const ended = await needs.dispatcher.waitForEnd(created, waitMs, signal);
  return ended ?? (await needs.executions.find(created.deviceId, created.id, needs.now())) ?? created;
}
