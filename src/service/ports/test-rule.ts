import type { TestedScript } from "#core/rule/tested-script.ts";
import type { ScenarioReport } from "#core/scenario/test-report.ts";

/** Plain data, which can travel to another thread. */
export interface RuleTestTask {
  /** Without errors. */
  readonly script: TestedScript;
  /** Scenarios without errors. */
  readonly source: string;
  /** Where they stand. */
  readonly file: string | undefined;
  /** Only scenarios whose file or name contains this. */
  readonly filter?: string | undefined;
  /** Whether the whole timeline is wanted, also of what passes. */
  readonly isVerbose: boolean;
}

/** Plays the scenarios one after the other. Ends at once, with the reason of the signal, when that fires. */
export type TestRule = (task: RuleTestTask, signal: AbortSignal) => Promise<readonly ScenarioReport[]>;
