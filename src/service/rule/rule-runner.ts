// What runs the rules of one runtime version. The engine decides which rules run; a runner keeps each of them running, in
// containment, and starts it again after a failure, later each time.
import type { LogSeverity } from "#core/device/device-message.ts";
import type { RuntimeVersion, SiteRule } from "#core/rule/site-rule.ts";
import type { Instant } from "#core/time/instant.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";

interface RuleError {
  readonly message: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** The frames that led there. */
  readonly traceback: string | undefined;
  readonly at: Instant;
}

export interface RuleStatus {
  /** Whether it runs now: not between a failure and the next start. */
  readonly isRunning: boolean;
  readonly lastError: RuleError | undefined;
  /** When it starts again after a failure. */
  readonly restartAt: Instant | undefined;
}

/** A mistake in the code, found before it is stored. */
export interface CodeProblem {
  readonly message: string;
  readonly line: number | undefined;
}

export interface RuleRunner {
  readonly runtimeVersion: RuntimeVersion;
  check(slug: string, code: Uint8Array): Promise<readonly CodeProblem[]>;
  /** Replaces the one that runs. Failures are its status, not a rejection. */
  start(runnable: RunnableRule): Promise<void>;
  stop(ruleId: string): Promise<void>;
  /** Called every second while this node runs the rules. */
  turn?(): Promise<void>;
  status(ruleId: string): RuleStatus | undefined;
  close(): Promise<void>;
}

/** What a runner needs of the engine. */
export interface RuleHost {
  log(ruleId: string, severity: LogSeverity, message: string): void;
  /**
   * Answers a function that scripts call, with plain JSON values. What a script should see is among the results: a value, or
   * null and why not.
   */
  ask(rule: SiteRule, name: string, args: readonly unknown[]): Promise<readonly unknown[]>;
}
