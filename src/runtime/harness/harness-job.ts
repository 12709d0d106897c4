// The messages between the harness and its thread: plain data.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { Control } from "#core/control/control.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { ScenarioReport } from "#core/scenario/test-report.ts";
import type { Scenario } from "#manifest/scenario/parse-scenarios.ts";

/** What the thread starts with. */
export interface HarnessSetup {
  readonly blueprint: Blueprint;
  readonly controls: ReadonlyMap<string, Control>;
  readonly program: ScriptProgram;
  /** The seed of random numbers, if a scenario does not set its own. */
  readonly seed: number | undefined;
  /** Whether the whole timeline is wanted, also of what passes. */
  readonly isVerbose: boolean;
}

export interface HarnessJob {
  /** As the person names it; undefined for the run without a scenario. */
  readonly file: string | undefined;
  readonly scenario: Scenario;
}

/** `alive` comes with each step and now and then, so that the watchdog can distinguish a long run from a stuck one. */
export type HarnessMessage =
  | { readonly kind: "alive"; readonly place: Position | undefined }
  | { readonly kind: "done"; readonly report: ScenarioReport };
