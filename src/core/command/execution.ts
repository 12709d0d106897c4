// The life of a command execution as a pure fold: state = what the accepted responses and the timeout say, in order.
//
//   NEW -> IN_PROGRESS -> SUCCESS | ERROR | TIMEOUT,  TIMEOUT -> SUCCESS | ERROR by a late answer.
//
// SUCCESS and ERROR never change. The time of a response strictly rises within one execution. What changes an execution that
// another side owns, and UNSYNC, are in remote-execution.ts.

import type { Door } from "#core/access/door.ts";
import type { AccessLevel } from "#core/access/level.ts";
import { withMessage } from "#core/command/response-payload.ts";
import { type Instant, instant } from "#core/time/instant.ts";

export const EXECUTION_STATES = ["NEW", "IN_PROGRESS", "SUCCESS", "ERROR", "TIMEOUT", "UNSYNC"] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

export const RESPONSE_STATES = ["STARTED", "IN_PROGRESS", "SUCCEEDED", "ERROR"] as const;
export type ResponseState = (typeof RESPONSE_STATES)[number];

/** Unix microseconds: fine enough to distinguish all responses of one execution. */
export type Micros = number & { readonly __unit: "unix us" };

export type Payload = Readonly<Record<string, unknown>>;

export interface CommandResponse {
  readonly state: ResponseState;
  readonly payload: Payload | undefined;
  readonly receivedAt: Micros;
}

interface CommandRequest {
  /** As sent: the manifest name or an alias. */
  readonly name: string;
  readonly manifestName: string;
  /** Effective arguments, defaults filled in; a sensitive one reads `***`. */
  readonly arguments: Payload;
}

/** Who asked for it, by the token. The name is the one of then. */
export interface ExecutionCaller {
  readonly tokenId: string;
  readonly name: string;
  /** The schedule that has used the token. */
  readonly scheduleId?: string | undefined;
  readonly door?: Door | undefined;
}

export interface Execution {
  readonly id: string;
  readonly deviceId: string;
  readonly siteId: string;
  readonly state: ExecutionState;
  readonly ephemeral: boolean;
  readonly createdAt: Instant;
  readonly request: CommandRequest;
  /** The latest one. */
  readonly response: CommandResponse | undefined;
  /** Needed to read it: the command's read level when it was created. */
  readonly readLevel: AccessLevel;
  /** Without another response until then it becomes TIMEOUT. Never goes back. */
  readonly deadline: Instant;
  /** Rises with each change that its owner stores. */
  readonly revision: number;
  /** Another side has accepted it and owns it: only what that side reports changes it. */
  readonly isRemote: boolean;
  /** Travels with it. Undefined of executions of earlier versions. */
  readonly caller?: ExecutionCaller | undefined;
  /** The bulk command that it belongs to. */
  readonly bulkId?: string | undefined;
}

const STATE_AFTER: Readonly<Record<ResponseState, ExecutionState>> = {
  STARTED: "IN_PROGRESS",
  IN_PROGRESS: "IN_PROGRESS",
  SUCCEEDED: "SUCCESS",
  ERROR: "ERROR",
};

/** Which responses a state still takes. */
const TAKES: Readonly<Record<ExecutionState, readonly ResponseState[]>> = {
  NEW: RESPONSE_STATES,
  IN_PROGRESS: RESPONSE_STATES,
  TIMEOUT: ["SUCCEEDED", "ERROR"],
  SUCCESS: [],
  ERROR: [],
  UNSYNC: [],
};

/** Waiting for the device: a timeout can still happen. */
export function isOpen(state: ExecutionState): boolean {
  return state === "NEW" || state === "IN_PROGRESS";
}

/** Nobody has to wait any longer. TIMEOUT counts, though a late answer may still correct it. */
export function hasEnded(state: ExecutionState): boolean {
  return isFinal(state) || state === "TIMEOUT";
}

/** SUCCESS and ERROR: nothing can change any more. */
export function isFinal(state: ExecutionState): boolean {
  return state === "SUCCESS" || state === "ERROR";
}

export interface AnsweredExecution extends Execution {
  readonly response: CommandResponse;
}

export interface Arrival {
  readonly state: ResponseState;
  readonly payload: Payload | undefined;
  readonly at: Micros;
  /** How long to wait for the next response, in milliseconds. */
  readonly patienceMs: number;
}

/** The execution after a response, or undefined when the response comes too late to count or another side takes responses. */
export function withResponse(execution: Execution, arrival: Arrival): AnsweredExecution | undefined {
  if (execution.isRemote || !TAKES[execution.state].includes(arrival.state)) return undefined;
  const { state, payload } = arrival;
  const previous = execution.response?.receivedAt ?? 0;
  const receivedAt = Math.max(arrival.at, previous + 1) as Micros;
  return {
    ...execution,
    state: STATE_AFTER[state],
    response: { state, payload: state === "ERROR" ? withMessage(payload) : payload, receivedAt },
    // Rises with every response, also where the clock was set back: so a timeout set for an earlier one is recognised.
    deadline: instant(Math.max(receivedAt / 1000 + arrival.patienceMs, execution.deadline + 1)),
    revision: execution.revision + 1,
  };
}

/** The execution after its deadline has passed, or undefined when it has ended before or its end is another side's to report. */
export function withTimeout(execution: Execution): Execution | undefined {
  if (execution.isRemote || !isOpen(execution.state)) return undefined;
  return { ...execution, state: "TIMEOUT", revision: execution.revision + 1 };
}

/** The payload of an execution that was cancelled before its device could get it. */
const CANCELLED: Payload = { code: "cancelled", message: "it was cancelled before it was sent to the device" };

/** The execution after somebody cancelled it, or undefined when it is too late for that. */
export function withCancel(
  execution: Execution,
  { attempted, at }: { readonly attempted: boolean; readonly at: Micros },
): AnsweredExecution | undefined {
  if (attempted || execution.state !== "NEW") return undefined;
  return withResponse(execution, { state: "ERROR", payload: CANCELLED, at, patienceMs: 0 });
}

export function isCancelled({ state, response }: Execution): boolean {
  return state === "ERROR" && response?.payload?.["code"] === CANCELLED["code"];
}
