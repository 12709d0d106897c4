// The rules of a site as this node knows them. The node that runs them knows how they are doing; others, and a cloud, go by what
// was reported. As soon as its gateway is away, nobody knows whether that still holds, and rules say since when.
import { refuse } from "#core/app-error.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { takesRules } from "#core/link/protocol.ts";
import { unconfirmedSince } from "#core/link/unconfirmed-since.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { Site } from "#core/site/site.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import type { RuleEngine } from "./rule-engine.ts";
import { lastRunOf } from "./rule-reports.ts";
import { readLastTraces } from "./rule-traces.ts";
import type { RulesOfSite, ShownRules, Source } from "./rules-of-site.ts";

export interface ShownRulesNeeds extends Pick<Needs, "sites" | "rules" | "gateways"> {
  readonly ruleEngine: Pick<RuleEngine, "report">;
  readonly nodes: Pick<Nodes, "isShared">;
  readonly role: "gateway" | "cloud";
}

const HERE: Source = { reportedBy: undefined, unconfirmedSince: undefined };

/** The site, and whose word counts about its rules. Refuses where nobody runs any. */
export async function sourceOfRules(
  needs: ShownRulesNeeds,
  call: Call,
  siteId: string,
): Promise<Source & { readonly site: Site }> {
  const site = await visibleSite(needs, call, siteId);
  if (needs.role === "gateway") return { site, ...HERE };
  const owner = await needs.gateways.ownerOf(site.id);
  const gateway = owner === undefined ? undefined : await needs.gateways.find(owner);
  if (gateway === undefined) throw refuse("not_available", "rules run on gateways; a cloud has none of its own");
  requireRules(gateway);
  return { site, reportedBy: gateway.id, unconfirmedSince: unconfirmedSince(gateway, takesRules) };
}

export async function rulesOfSite(needs: ShownRulesNeeds, call: Call, siteId: string): Promise<RulesOfSite> {
  const source = await sourceOfRules(needs, call, siteId);
  const { id } = source.site;
  const state = await needs.rules.engineState(id);
  const isReported = needs.role === "cloud" || needs.nodes.isShared;
  const reports: ReadonlyMap<string, RuleReport> = isReported ? await needs.rules.reports(id) : new Map();
  return {
    ...source,
    state,
    reports,
    report(rule) {
      if (rule.disabled || state !== "ACTIVE") return undefined;
      const report = needs.ruleEngine.report(rule.id) ?? reports.get(rule.id);
      return report?.revision === rule.revision ? report : undefined;
    },
  };
}

/** What there is to know of these rules. */
export async function showRules(
  needs: ShownRulesNeeds,
  known: RulesOfSite,
  among: readonly SiteRule[],
): Promise<ShownRules> {
  if (needs.role === "cloud") return { ...known, lastRun: ({ id }) => known.reports.get(id)?.lastRun };
  const ids = among.map(({ id }) => id);
  const traces = await readLastTraces(needs.rules, known.site.id, ids);
  return {
    ...known,
    lastRun({ id }) {
      const trace = traces.get(id);
      return trace && lastRunOf(trace);
    },
  };
}

/** A gateway of an earlier version does not say which rules it has. */
function requireRules({ name, version, protocol }: Gateway): void {
  if (takesRules(protocol ?? "")) return;
  const why = "whose rules cannot be seen or changed from a cloud; update it";
  throw refuse("not_available", `the gateway ${name} runs Busbar ${version}, ${why}`);
}
