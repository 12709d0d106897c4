import type { Explanation } from "#core/rule/rule-report.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf } from "#service/operation/wire.ts";
import type { RuleStatus } from "./rule-runner.ts";
import { explanationSchema, RULE_STATES, renderExplanation } from "./rule-wire.ts";
import { stateOf } from "./shown-state.ts";
import { lastRunSchema, renderLastRun } from "./trace-wire.ts";

export const ruleNewsSchema = described(
  "RuleEvent",
  "What a rule of the site does, or how it is, has changed. At most once a second for each rule.",
  {
    site_id: Type.String(),
    rule_id: Type.String(),
    slug: Type.String(),
    state: oneOf(RULE_STATES),
    disabled: Type.Boolean(),
    explanation: nullable(explanationSchema),
    last_run: nullable(lastRunSchema),
  },
);

export type RenderedRuleNews = Static<typeof ruleNewsSchema>;

export interface KnownOfRule {
  readonly isActive: boolean;
  readonly status: Pick<RuleStatus, "isRunning"> | undefined;
  readonly explanation: Explanation | undefined;
  readonly lastTrace: Pick<RuleTrace, "at" | "outcome" | "why"> | undefined;
}

export function renderRuleNews(
  rule: SiteRule,
  { isActive, status, explanation, lastTrace }: KnownOfRule,
): RenderedRuleNews {
  const { id, siteId, slug, disabled } = rule;
  return {
    ...{ site_id: siteId, rule_id: id, slug, disabled },
    state: stateOf(rule, isActive, status),
    explanation: renderExplanation(explanation),
    last_run: lastTrace === undefined ? null : renderLastRun(lastTrace),
  };
}
