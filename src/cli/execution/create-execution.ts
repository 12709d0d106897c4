import { randomUUID } from "node:crypto";
import type { Session } from "#cli/session.ts";
import { UnreachableError } from "#client/errors.ts";
import type { CommandInput } from "#client/resources.ts";

/** The id of a new execution. A broken connection is tried once more: the key keeps the command from running twice. */
export async function createExecution({ client, wait }: Session, device: string, input: CommandInput): Promise<string> {
  const idempotencyKey = randomUUID();
  const create = () => client.commands.create(device, input, { idempotencyKey });
  const answer = await wait(
    create().catch((error: unknown) => {
      if (error instanceof UnreachableError && error.reason === "connection") return create();
      throw error;
    }),
  );
  return answer.execution_id;
}
