// How a rule is, as people are told.
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { RuleStatus } from "./rule-runner.ts";

/** STARTED: it runs or is about to. A rule that failed is stopped until its next start. */
export function stateOf(
  rule: Pick<SiteRule, "disabled">,
  isActive: boolean,
  status: Pick<RuleStatus, "isRunning"> | undefined,
): "STARTED" | "STOPPED" {
  if (rule.disabled || !isActive) return "STOPPED";
  return status === undefined || status.isRunning ? "STARTED" : "STOPPED";
}
