// A ready controller: a rule that people set up by parameters. What it makes is an ordinary rule that people can open and change.
import type { RuleSite } from "#core/rule/rule-site.ts";

export const PARAMETER_KINDS = [
  "device",
  "attribute",
  "control",
  "command",
  "number",
  "integer",
  "duration",
  "time",
  "boolean",
  "choice",
  "text",
  "variable",
  "calendar",
] as const;
export type ParameterKind = (typeof PARAMETER_KINDS)[number];

export type ParameterValue = string | number | boolean;

export interface Parameter {
  /** In snake case. Values go by it. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly kind: ParameterKind;
  /** The parameter with the device that has this attribute, control or command. */
  readonly of?: string;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  readonly default?: ParameterValue;
  /** Without a default it has to be given. */
  readonly required?: true;
  readonly choices?: readonly string[];
  /** Devices that fit: those of one of these profiles come first, then those of one of these categories. */
  readonly suggests?: { readonly profiles: readonly string[]; readonly categories: readonly string[] };
}

/** Plain data that becomes the YAML of a rule. */
export type RuleNode = ParameterValue | readonly RuleNode[] | { readonly [key: string]: RuleNode | undefined };
export type RuleDocument = { readonly [key: string]: RuleNode | undefined };

/** The rule of a controller, in the order in which it reads: the keys of the language, but for `then` and `else`. */
export interface RuleDraft {
  readonly name: string;
  readonly description: string;
  readonly when: readonly RuleNode[];
  readonly for?: string;
  readonly if?: readonly RuleNode[];
  readonly actions: readonly RuleNode[];
  readonly otherwise?: readonly RuleNode[];
  readonly min_on?: string;
  readonly min_off?: string;
  readonly missed?: string;
  readonly late?: string;
}

export interface Controller {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly icon: string;
  readonly parameters: readonly Parameter[];
  /** The parameters are complete and fit their kinds. */
  readonly rule: (given: Given, site: RuleSite | undefined) => RuleDraft;
  /** What only several parameters together can have wrong. */
  readonly check?: (given: Given, site: RuleSite | undefined) => readonly ParameterProblem[];
}

export interface ParameterProblem {
  readonly parameter: string;
  readonly message: string;
}

/** Checked parameters by name. Asking for one that is not declared is a bug. */
export interface Given {
  text(name: string): string;
  number(name: string): number;
  flag(name: string): boolean;
  has(name: string): boolean;
}
