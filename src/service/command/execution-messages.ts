// Messages between nodes about executions. A small execution is in its message as a whole, so that neither the node that sends it nor the
// one whose caller waits for its end has to read it. It is sealed, because whoever may use the database may hear
// notifications and send some.
import { parseExecution } from "#core/link/parse-item.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { OpenExecution } from "#service/ports/execution-store.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import type { Seal } from "#service/ports/seal.ts";

export type ExecutionMessage = Extract<NodeMessage, { readonly kind: "execution" }>;

/** Larger ones are read by those who need them: a notification holds less than 8,000 bytes. */
const MOST_BYTES = 3_000;

export function executionMessage(
  seal: Pick<Seal, "seal">,
  has: ExecutionMessage["has"],
  { execution, sealed }: Pick<OpenExecution, "execution" | "sealed">,
): ExecutionMessage {
  const { id, deviceId, request, response } = execution;
  const message = { kind: "execution", has, deviceId, id } as const;
  const bytes = approximateBytes(request.arguments) + approximateBytes(response?.payload) + (sealed?.byteLength ?? 0);
  if (bytes > MOST_BYTES) return message;
  const text = JSON.stringify({ execution, sealed: sealed && Buffer.from(sealed).toString("base64") });
  if (Buffer.byteLength(text) > MOST_BYTES) return message;
  return { ...message, content: Buffer.from(seal.seal(text, contextOf(message))).toString("base64") };
}

interface SealedContent {
  readonly execution: unknown;
  readonly sealed?: string;
}

/** Undefined when the message holds no execution that can be trusted and understood: then the records have it. */
export function readExecutionMessage(seal: Pick<Seal, "open">, message: ExecutionMessage): OpenExecution | undefined {
  if (message.content === undefined) return undefined;
  try {
    const text = seal.open(Buffer.from(message.content, "base64"), contextOf(message));
    const { execution, sealed } = JSON.parse(text) as SealedContent;
    return {
      execution: parseExecution(execution),
      attempted: false,
      sealed: sealed === undefined ? undefined : Buffer.from(sealed, "base64"),
    };
  } catch {
    return undefined;
  }
}

/** A content counts only for the execution and the news that it was sealed for. */
function contextOf({ has, deviceId, id }: ExecutionMessage): string {
  return `node ${has} ${deviceId} ${id}`;
}
