// Between the main thread and the thread of one dry run: plain data.
import type { LuaSimulation, PastColumn, PastColumnName } from "#service/rule/lua-dry-run.ts";
import type { ScriptPast, SimulationLimits } from "./simulate-script.ts";

export interface DryRunSetup {
  readonly past: ScriptPast;
  readonly limits: SimulationLimits;
}

export type PastQuestion =
  | { readonly kind: "column"; readonly name: PastColumnName }
  | { readonly kind: "control"; readonly device: string; readonly control: string }
  | { readonly kind: "ask"; readonly name: string; readonly args: readonly unknown[]; readonly at: number };

export type PastAnswer = PastColumn | string | undefined | readonly unknown[];

export type FromDryRun =
  | { readonly kind: "question"; readonly id: number; readonly question: PastQuestion }
  | { readonly kind: "done"; readonly result: LuaSimulation };

/** `fault`: the gateway could not answer. */
export interface ToDryRun {
  readonly id: number;
  readonly answer?: PastAnswer;
  readonly fault?: string;
}
