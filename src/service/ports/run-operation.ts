import type { AskedChange } from "#core/link/asked-change.ts";
import type { Call } from "#service/ports.ts";

/** An operation of the HTTP interface that came another way. */
export interface OperationCall extends Pick<Call, "caller" | "requestId" | "remoteAddress" | "auditId"> {
  readonly operation: AskedChange["operation"];
  readonly params: AskedChange["params"];
  readonly body: AskedChange["body"];
}

/** Checks and carries out the operation like a call over HTTP. Rejects with the refusals that HTTP would answer. */
export type RunOperation = (call: OperationCall) => Promise<object>;
