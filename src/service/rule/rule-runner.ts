// What runs the rules of one runtime version. The engine decides which rules run; a runner keeps each of them running, in
// containment, and starts it again after a failure, later each time.
import type { Issue } from "#core/blueprint/issue.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { RuleModules } from "#core/rule/rule-modules.ts";
import type { RuleError } from "#core/rule/rule-report.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { RuntimeVersion, SiteRule } from "#core/rule/site-rule.ts";
import type { Instant } from "#core/time/instant.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";
import type { RuleAsked } from "./rule-function.ts";

export interface RuleStatus {
  /** Whether it runs now: not between a failure and the next start. */
  readonly isRunning: boolean;
  readonly lastError: RuleError | undefined;
  /** When it starts again after a failure. */
  readonly restartAt: Instant | undefined;
}

/** Something that is wrong with the text, found before it is stored. Errors refuse it. */
export type CodeProblem = Pick<Issue, "severity" | "message" | "path" | "range"> & { readonly code: string };

/** A rule with the other rules of its site that it runs as modules. */
export interface StartedRule extends RunnableRule {
  readonly modules?: RuleModules | undefined;
}

export interface RuleRunner {
  readonly runtimeVersion: RuntimeVersion;
  /** Compares the text with what the site has, too. */
  check(siteId: string, code: Uint8Array): Promise<readonly CodeProblem[]>;
  /** Replaces the one that runs. Failures are its status, not a rejection. */
  start(rule: StartedRule): Promise<void>;
  stop(ruleId: string): Promise<void>;
  /** Called every second while this node runs the rules. */
  turn?(): Promise<void>;
  status(ruleId: string): RuleStatus | undefined;
  close(): Promise<void>;
}

/** What a runner needs of the engine. */
export interface RuleHost {
  log(ruleId: string, severity: LogSeverity, message: string): void;
  /** What a script did and why; shown beside traces of rules in YAML. One with a known id replaces it. */
  trace(ruleId: string, trace: RuleTrace): void;
  /**
   * Answers a function that scripts call, with plain JSON values. What a script should see is among the results: a value, or
   * null and why not.
   */
  ask(rule: SiteRule, name: string, args: readonly unknown[], by?: RuleAsked): Promise<readonly unknown[]>;
}
