// What a script would have done with the stored past. The script runs in a thread of its own, in virtual time; what it reads of the past
// is asked for here, with the rights of a rule of the site.

import type { RuleModules } from "#core/rule/rule-modules.ts";
import type { RuleSample } from "#core/rule/rule-world.ts";
import type { Simulation } from "#core/rule/simulate-rule.ts";
import type { SiteRule, VariableValue } from "#core/rule/site-rule.ts";

export interface LuaDryRunInput {
  /** It need not be stored. */
  readonly rule: SiteRule;
  readonly modules?: RuleModules | undefined;
  readonly timezone: string;
  readonly from: number;
  readonly to: number;
  readonly variables: ReadonlyMap<string, VariableValue>;
}

/** A script has no conditions that could be true for a time. */
export type LuaSimulation = Omit<Simulation, "onMs"> & {
  /** What was simplified, what went wrong, and why it ended early. */
  readonly problems: readonly string[];
};

export interface LuaDryRun {
  /** Ends at once, with the reason of the signal, when that fires. */
  run(given: LuaDryRunInput, signal: AbortSignal): Promise<LuaSimulation>;
  close(): Promise<void>;
}

/** Telemetry of one attribute over the whole time, or why there is none. */
export type PastColumn =
  | { readonly samples: readonly RuleSample[]; readonly type: string; readonly usualMs?: number }
  | { readonly problem: string };

export interface PastColumnName {
  readonly device: string;
  readonly attribute: string;
  readonly unit: string | undefined;
}
