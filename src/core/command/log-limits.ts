// What the log of one execution may hold. The first and the last responses are the most useful, so those in the middle
// are dropped.
import type { CommandResponse, Micros, Payload } from "#core/command/execution.ts";

export const MAX_LOG_BYTES = 1024 * 1024;
/** Bytes of an entry in addition to its payload. */
export const ENTRY_BYTES = 64;
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

/**
 * How much of a log is read at once. A log that was written under the limits fits: its first and its last response may
 * each hold a payload in addition to the rest. A log that was written under other limits may be longer.
 */
export const MAX_READ_BYTES = MAX_LOG_BYTES + 2 * MAX_PAYLOAD_BYTES;
export const MAX_READ_ENTRIES = MAX_LOG_BYTES / ENTRY_BYTES + 2;

/** The last entry of a log of which only a part was read. */
export function notReadEntry(newest: Micros): CommandResponse {
  const message = `older responses are not shown: ${MAX_READ_BYTES} bytes of a log are read`;
  return { state: "IN_PROGRESS", payload: { message }, receivedAt: newest };
}

/** Stands in the log where responses were left out. */
export function leftOutEntry(count: number, newest: Micros): CommandResponse {
  const message = `${count} ${count === 1 ? "response is" : "responses are"} left out here: the log of an execution holds ${MAX_LOG_BYTES} bytes`;
  return { state: "IN_PROGRESS", payload: { message }, receivedAt: newest };
}

/** Stands for a payload that is too large to be kept. */
export function leftOutPayload(bytes: number): Payload {
  return { message: `the payload is left out: it holds about ${bytes} bytes, more than ${MAX_PAYLOAD_BYTES}` };
}
