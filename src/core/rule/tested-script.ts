import type { RuleModules } from "./rule-modules.ts";

/** A rule that scenarios test. */
export interface TestedScript {
  /** As it is shown, such as `surplus.yml`. */
  readonly name: string;
  readonly language: "yaml" | "lua";
  readonly text: string;
  /** What it requires. Undefined: nothing. */
  readonly modules?: RuleModules | undefined;
  /** Of a script that runs as a whole again and again. */
  readonly intervalMs: number | undefined;
}
