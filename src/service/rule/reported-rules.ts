// What rules of gateways do, as events of their cloud. What a gateway reports is stored first; who listens hears how the rule stands
// then, at most once a second. Each node publishes to those who listen to it.
import { MOST_RULES, type SiteRule } from "#core/rule/site-rule.ts";
import { allAtOnce } from "#service/all-pages.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { createRuleNews, type RuleNewsNeeds } from "./rule-news.ts";

export interface ReportedRulesNeeds extends RuleNewsNeeds, Pick<Needs, "rules"> {
  readonly nodes: Pick<Nodes, "broadcast">;
}

export interface ReportedRules {
  /** A gateway has reported something of this rule; undefined: of the engine of the site. */
  changed(siteId: string, ruleId: string | undefined): void;
  /** Another node has said so. */
  heardOf(siteId: string, ruleIds: readonly string[] | undefined): void;
  /** Called every second. */
  publish(): Promise<void>;
}

/** Ids in one message between nodes. */
const IDS_IN_A_MESSAGE = 100;
/** Rules that a node reads in one second; the others follow later. */
const MOST_AT_ONCE = 500;
/** More at once are not published: who listens gets the next news of them. */
const MOST_SITES = 10_000;

/** Rules of a site; undefined: all of them. */
type Changed = Map<string, Set<string> | undefined>;

export function createReportedRules(needs: ReportedRulesNeeds): ReportedRules {
  const news = createRuleNews(needs);
  /** To be published here, and to be named to other nodes. */
  const [waiting, unsaid]: readonly [Changed, Changed] = [new Map(), new Map()];

  function add(all: Changed, siteId: string, ruleIds: readonly string[] | undefined): void {
    if (all.size >= MOST_SITES && !all.has(siteId)) return;
    const known = all.has(siteId) ? all.get(siteId) : new Set<string>();
    if (ruleIds !== undefined) for (const id of ruleIds) known?.add(id);
    all.set(siteId, ruleIds === undefined || (known?.size ?? 0) > MOST_RULES ? undefined : known);
  }

  function sayToOthers(): void {
    for (const [siteId, ids] of unsaid) {
      if (ids === undefined) needs.nodes.broadcast({ kind: "rules", siteId });
      const some = [...(ids ?? [])];
      for (let from = 0; from < some.length; from += IDS_IN_A_MESSAGE) {
        needs.nodes.broadcast({ kind: "rules", siteId, ruleIds: some.slice(from, from + IDS_IN_A_MESSAGE) });
      }
    }
    unsaid.clear();
  }

  async function rulesOf(siteId: string, ids: ReadonlySet<string> | undefined): Promise<readonly SiteRule[]> {
    if (ids === undefined) return await allAtOnce((page) => needs.rules.list(siteId, page));
    const found: SiteRule[] = [];
    for (const id of ids) {
      const rule = await needs.rules.find(siteId, id);
      if (rule === undefined) news.forget(id);
      else found.push(rule);
    }
    return found;
  }

  async function publishSite(siteId: string, ids: ReadonlySet<string> | undefined): Promise<number> {
    const isActive = (await needs.rules.engineState(siteId)) === "ACTIVE";
    const reports = await needs.rules.reports(siteId);
    const rules = await rulesOf(siteId, ids);
    for (const rule of rules) {
      const report = reports.get(rule.id);
      // What is reported of an earlier text says nothing of the present one.
      const current = report?.revision === rule.revision ? report : undefined;
      const { explanation, lastRun: lastTrace } = current ?? {};
      news.publish(rule, { isActive, status: current, explanation, lastTrace });
    }
    return rules.length;
  }

  return {
    changed(siteId, ruleId) {
      const ids = ruleId === undefined ? undefined : [ruleId];
      for (const all of [waiting, unsaid]) add(all, siteId, ids);
    },
    heardOf: (siteId, ruleIds) => add(waiting, siteId, ruleIds),
    async publish() {
      sayToOthers();
      let published = 0;
      for (const [siteId, ids] of [...waiting]) {
        if (published >= MOST_AT_ONCE) return;
        waiting.delete(siteId);
        published += await publishSite(siteId, ids);
      }
    },
  };
}
