import type { SiteRule } from "#core/rule/site-rule.ts";
import type { Call } from "#service/ports.ts";

/** What a function read or did, for the trace of the run that called it. */
export interface RuleWatch {
  /** `subject` such as `meter.power`. */
  saw(seen: { readonly subject: string; readonly value: unknown; readonly ageMs: number | undefined }): void;
  /** Only what changes something: not a claim that stands already. In words for people. */
  acted(what: string): void;
}

/** Of one call of a function. */
export interface RuleAsked {
  readonly watch?: RuleWatch | undefined;
  /** The runs of rules that led to it. */
  readonly causes?: readonly string[] | undefined;
}

export const NOBODY_WATCHES: RuleWatch = { saw: () => {}, acted: () => {} };

/** A function that scripts of rules call. Arguments and results are plain JSON values. */
export type RuleFunction = (
  call: Call,
  args: readonly unknown[],
  from: { readonly rule: SiteRule; readonly watch: RuleWatch },
) => Promise<readonly unknown[]>;
