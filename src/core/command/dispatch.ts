// What a node does about an execution after something became known of it. Only decisions: the dispatcher carries the steps
// out, in this order.
import { type Execution, hasEnded, isOpen } from "./execution.ts";

/** What a node knows about itself and the execution. */
export interface Here {
  /** Whether a command handed over now would reach the device at once. Asked where it matters: looking takes a microsecond. */
  readonly isReady: () => boolean;
  /** Other nodes share the records. */
  readonly isShared: boolean;
  /** A caller waits here for the end. */
  readonly isAwaited: boolean;
}

type Known = Pick<Execution, "state" | "isRemote">;

/*
 * watch      count it among the open ones, and end it after its deadline
 * close      watch it no longer; callers who wait for its end get it if it has ended
 * hand over  hand the command over to the device
 * offer      ask the other nodes to hand it over: one of them may have the device
 * take       hand it over unless another node has done so
 * ask owner  ask its owner what became of it
 * send end   send its end to the other nodes: a caller may wait there
 * report end report its end to whoever counts executions
 * look up    find out whether it has ended
 */

/** It was stored here just now. One whose attempt is marked already is handed over whatever the device does. */
export function afterAccept(
  attempted: boolean,
  { isReady, isShared }: Here,
): readonly ("watch" | "hand over" | "offer")[] {
  if (attempted || isReady()) return ["watch", "hand over"];
  return isShared ? ["watch", "offer"] : ["watch"];
}

/** This node has stored a change. */
export function afterChange(
  execution: Known,
  here: Here,
): readonly ("watch" | "close" | "ask owner" | "send end" | "report end")[] {
  const { state, isRemote } = execution;
  if (!hasEnded(state)) return [isOpen(state) && !isRemote ? "watch" : "close", ...afterSight(execution, here)];
  // Where a caller waits here, hardly anybody waits at another node, and the event comes there a moment later.
  return here.isShared && !here.isAwaited ? ["close", "send end", "report end"] : ["close", "report end"];
}

/** The event of a change came, which this node or another one has stored. */
export function afterEvent(execution: Known, here: Here): readonly ("close" | "take" | "ask owner")[] {
  if (hasEnded(execution.state)) return ["close"];
  return execution.state === "NEW" ? ["take"] : afterSight(execution, here);
}

/** Another node says that an execution waits for its device, or has ended. */
export function afterMessage(has: "waits" | "ended", { isReady, isAwaited }: Here): readonly ("take" | "look up")[] {
  if (has === "waits") return isReady() ? ["take"] : [];
  return isAwaited ? ["look up"] : [];
}

/** Its owner never accepted it: it is ours again. */
export function afterReturn({ isReady }: Here): readonly ("watch" | "hand over")[] {
  return isReady() ? ["watch", "hand over"] : ["watch"];
}

/** What is unknown while its owner can be asked need not stay unknown. */
function afterSight({ state }: Known, { isReady }: Here): readonly "ask owner"[] {
  return state === "UNSYNC" && isReady() ? ["ask owner"] : [];
}

/** What an earlier run left, or what came back, never waits longer than a new one, whatever the clock did meanwhile. */
export function timeLeft(deadline: number, now: number, responseTimeoutMs: number): number {
  return Math.min(Math.max(deadline - now, 0), responseTimeoutMs);
}
