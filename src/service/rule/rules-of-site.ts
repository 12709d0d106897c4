// What is known of the rules of a site, and by whom.
import type { LastRun, RuleReport } from "#core/rule/rule-report.ts";
import type { EngineState, SiteRule } from "#core/rule/site-rule.ts";
import type { Site } from "#core/site/site.ts";

/** Whose word it is. */
export interface Source {
  /** In a cloud: the gateway that runs the rules and reported this. */
  readonly reportedBy: string | undefined;
  /** In a cloud: the gateway has been offline since then. */
  readonly unconfirmedSince: number | undefined;
}

/** With what became of each of some rules when it ran last. */
export interface ShownRules extends RulesOfSite {
  lastRun(rule: SiteRule): LastRun | undefined;
}

export interface RulesOfSite extends Source {
  readonly site: Site;
  readonly state: EngineState;
  /** What was reported of them, as far as that is needed here. */
  readonly reports: ReadonlyMap<string, RuleReport>;
  /** How a rule is doing. Undefined: nobody has said it yet, or it does not run. */
  report(rule: SiteRule): RuleReport | undefined;
}
