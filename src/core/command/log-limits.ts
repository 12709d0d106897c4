// What the log of one execution may hold. Its first and its last responses say most, so those in the middle make room.
import type { CommandResponse, Micros, Payload } from "#core/command/execution.ts";

export const MAX_LOG_BYTES = 1024 * 1024;
/** What an entry takes beside its payload. */
export const ENTRY_BYTES = 64;
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Stands in the log where responses were left out. */
export function leftOutEntry(count: number, newest: Micros): CommandResponse {
  const message = `${count} ${count === 1 ? "response is" : "responses are"} left out here: the log of an execution holds ${MAX_LOG_BYTES} bytes`;
  return { state: "IN_PROGRESS", payload: { message }, receivedAt: newest };
}

/** Stands for a payload that is too large to be kept. */
export function leftOutPayload(bytes: number): Payload {
  return { message: `the payload is left out: it holds about ${bytes} bytes, more than ${MAX_PAYLOAD_BYTES}` };
}
