// What a run of a rule did and why, as a path that can be read from top to bottom. Pure.
import type { RuleEvidence, RuleTrace } from "#client/resources.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import type { RuleNames } from "./rule-names.ts";
import { wordsAt } from "./rule-words.ts";

export const OUTCOME_TONES = {
  ran: "ok",
  skipped: "neutral",
  not_met: "neutral",
  unknown: "warning",
  loop: "error",
  failed: "error",
} as const satisfies Readonly<Record<RuleTrace["outcome"], string>>;

export type Truth = "isTrue" | "isFalse" | "isUnknown";

export const truthOf = ({ outcome }: Pick<RuleEvidence, "outcome">): Truth =>
  outcome === null ? "isUnknown" : outcome ? "isTrue" : "isFalse";

/**
 * What started it. A text that was changed since the run may have something else at the place, so a place that is not there stays a
 * place. Undefined: its conditions together.
 */
export function triggerOf(
  { trigger }: RuleTrace,
  rule: DeclarativeRule | undefined,
  names: RuleNames,
): string | undefined {
  // One moment that stands for a list is where the list would be.
  if (trigger === "" || (trigger === "/when" && rule?.moments[0]?.place !== "/when")) return undefined;
  return (rule && wordsAt(rule, trigger, names)) ?? trigger;
}

/** Milliseconds; undefined while it goes on. */
export const lengthOf = ({ at, ended_at }: RuleTrace): number | undefined =>
  ended_at === null ? undefined : Math.max(0, Date.parse(ended_at) - Date.parse(at));
