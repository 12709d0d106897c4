// How a rule that runs is doing, as the node or gateway that runs it reports it to others: to other nodes, and to a cloud.
import type { Instant } from "#core/time/instant.ts";
import type { TraceOutcome } from "./rule-trace.ts";

export interface RuleError {
  readonly message: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The frames that led there. */
  readonly traceback: string | undefined;
  readonly at: Instant;
}

/** What a rule says about what it does. */
export interface Explanation {
  readonly text: string;
  readonly at: Instant;
}

/** What became of a rule when it ran last. */
export interface LastRun {
  readonly at: Instant;
  readonly outcome: TraceOutcome;
  readonly why: string;
}

export interface RuleReport {
  /** Of the rule that it is about. It says nothing about another revision. */
  readonly revision: number;
  /** Whether it runs now: not between a failure and the next start. */
  readonly isRunning: boolean;
  readonly lastError?: RuleError | undefined;
  /** When it starts again after a failure. */
  readonly restartAt?: Instant | undefined;
  readonly explanation?: Explanation | undefined;
  readonly lastRun?: LastRun | undefined;
}

/** A longer text of an error is cut. */
export const LONGEST_ERROR = 4_000;
