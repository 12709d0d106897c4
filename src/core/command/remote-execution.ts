// An execution that another side owns, seen from here. A cloud creates it, a gateway accepts it and owns it from then on: the
// cloud holds a copy, which follows the owner's revisions.
//
//   UNSYNC: the owner has more of it than is here, or may have. It resolves to what the owner reports, and only to that.
//
// A copy never becomes TIMEOUT on its own: only its owner knows whether the device still answers.
import { type CommandResponse, type Execution, hasEnded, isFinal, isOpen, type Micros } from "./execution.ts";

/** What the owner reports of an execution. */
export interface ExecutionChange {
  /** As it is now. A bulk command is of the side that began it. */
  readonly execution: Omit<Execution, "bulkId">;
  /** The responses after the revision `since`, oldest first. */
  readonly responses: readonly CommandResponse[];
  /** A copy that has all responses up to this revision of the owner has all of them together with `responses`. */
  readonly since: number;
  /** How many responses the log has left out, and when the newest of them was received. */
  readonly leftOut: { readonly count: number; readonly at: Micros } | undefined;
}

/** What a change did to the copy. After `gap` the owner has to report the responses that are missing. */
export type Merge =
  | { readonly kind: "applied" | "gap"; readonly execution: Execution }
  /** It was known already. */
  | { readonly kind: "known" };

/** The copy after a change that its owner reports, in whatever order and however often changes come. */
export function mergeRemote(before: Execution | undefined, { execution, since }: ExecutionChange): Merge {
  if (before !== undefined && isKnown(before, execution.revision)) return { kind: "known" };
  // Its revisions before its acceptance were counted here, not by the owner.
  const held = before?.isRemote === true ? before.revision : 0;
  if (since > held) {
    if (before?.isRemote === true && before.state === "UNSYNC") return { kind: "gap", execution: before };
    const copy = before?.isRemote === true ? before : { ...(before ?? execution), response: undefined };
    return { kind: "gap", execution: { ...copy, state: "UNSYNC", revision: held, isRemote: true } };
  }
  const { state, response, deadline, revision } = execution;
  return {
    kind: "applied",
    execution: { ...(before ?? execution), state, response, deadline, revision, isRemote: true },
  };
}

function isKnown(before: Execution, revision: number): boolean {
  if (isFinal(before.state)) return true;
  if (!before.isRemote) return false;
  // Reported once more without changes, it returns to the state that it had before its owner was out of sight.
  return before.state === "UNSYNC" ? revision < before.revision : revision <= before.revision;
}

/**
 * The copy while its owner cannot be asked; undefined when it stays what it is. One that was sent and not answered may
 * have an owner.
 */
export function withoutSight(execution: Execution, wasSent: boolean): Execution | undefined {
  if (!execution.isRemote) return wasSent ? givenToOwner(execution, false) : undefined;
  return isOpen(execution.state) ? { ...execution, state: "UNSYNC" } : undefined;
}

/**
 * The execution once another side may have accepted it; undefined when it has ended or is not ours. Without an answer of
 * the other side nobody here knows whether it was accepted.
 */
export function givenToOwner(execution: Execution, isAnswered: boolean): Execution | undefined {
  if (execution.isRemote || !isOpen(execution.state)) return undefined;
  // From now on the owner's revisions count, and none of them is here yet.
  return { ...execution, state: isAnswered ? execution.state : "UNSYNC", revision: 0, isRemote: true };
}

/** The execution that the other side says it never accepted: it is ours again. Undefined when it stays what it is. */
export function returnedByOwner(execution: Execution): Execution | undefined {
  if (!execution.isRemote || execution.revision > 0) return undefined;
  return { ...execution, state: "NEW", revision: 1, isRemote: false };
}

const LOST =
  "the gateway has lost this execution, because its records were replaced by older ones; nobody knows how it ended";

/**
 * The execution that its owner has lost: nobody will ever report its end. Undefined when it stays what it is. An owner whose
 * records were not replaced has lost only what it once reported: of others it says that it never accepted them.
 */
export function lostByOwner(
  execution: Execution,
  { at, isReplaced }: { readonly at: Micros; readonly isReplaced: boolean },
): AnsweredCopy | undefined {
  if (!execution.isRemote || hasEnded(execution.state)) return undefined;
  if (!isReplaced && execution.revision === 0) return undefined;
  const receivedAt = Math.max(at, (execution.response?.receivedAt ?? 0) + 1) as Micros;
  const response: CommandResponse = { state: "ERROR", payload: { message: LOST }, receivedAt };
  return { ...execution, state: "ERROR", response, revision: execution.revision + 1 };
}

interface AnsweredCopy extends Execution {
  readonly response: CommandResponse;
}
