import type { Issue } from "#core/blueprint/issue.ts";
import type { ScriptIssue } from "#core/blueprint/script-issue.ts";
import type { TestedScript } from "#core/rule/tested-script.ts";
import type { ScenarioReport } from "#core/scenario/test-report.ts";

/** Plain data, which can travel to another thread. */
export interface RuleTestTask {
  /** Undefined: the scenarios say which ready controller makes it. */
  readonly script: TestedScript | undefined;
  /** The text of the scenarios. */
  readonly source: string;
  /** Where they stand. */
  readonly file: string | undefined;
  /** Only scenarios whose file or name contains this. */
  readonly filter?: string | undefined;
  /** Whether the whole timeline is wanted, also of what passes. */
  readonly isVerbose: boolean;
}

export interface RuleTestResult {
  /** What is wrong with the text of the scenarios. */
  readonly issues: readonly Issue[];
  /** What is wrong with the rule. With either of them nothing is played. */
  readonly ruleIssues: readonly (Issue | ScriptIssue)[];
  readonly scenarios: readonly ScenarioReport[];
}

/** Plays the scenarios one after the other. Ends at once, with the reason of the signal, when that fires. */
export type TestRule = (task: RuleTestTask, signal: AbortSignal) => Promise<RuleTestResult>;
