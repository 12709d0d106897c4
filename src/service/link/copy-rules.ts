// Copies what a gateway reports of the rules of its sites.
import { parseRuleKey, parseVariableKey, ruleKey, variableKey } from "#core/link/linked-key.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import { RecordRefused } from "#core/link/refused-record.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import type { Needs } from "#service/ports.ts";
import type { ReportedRules } from "#service/rule/reported-rules.ts";

export interface CopyRuleNeeds extends Pick<Needs, "copies" | "rules" | "now"> {
  readonly reportedRules: Pick<ReportedRules, "changed">;
}

export type RuleItem = Extract<LinkedItem, { kind: "rule_engine" | "rule" | "rule_report" | "variable" }>;

/** The clocks of the two sides may differ. */
const MOST_AHEAD_MS = 86_400_000;

export async function copyRuleItem(needs: CopyRuleNeeds, gatewayId: string, item: RuleItem): Promise<void> {
  const { copies, rules, reportedRules, now } = needs;
  switch (item.kind) {
    case "rule_engine": {
      const before = await rules.engineState(item.key);
      await copies.ruleEngine(gatewayId, item.key, item.value);
      if (before !== item.value.state) reportedRules.changed(item.key, undefined);
      return;
    }
    case "rule": {
      const name = parseRuleKey(item.key);
      if (name === undefined) return;
      await copies.rule(gatewayId, name, item.value);
      reportedRules.changed(name.siteId, name.id);
      return;
    }
    case "rule_report": {
      const name = parseRuleKey(item.key);
      if (item.value !== null && latestOf(item.value) > now() + MOST_AHEAD_MS) {
        throw new RecordRefused("the rule reports what happens in the future");
      }
      if (name === undefined) return;
      await copies.ruleReport(gatewayId, name, item.value);
      reportedRules.changed(name.siteId, name.id);
      return;
    }
    case "variable": {
      const name = parseVariableKey(item.key);
      return name && (await copies.variable(gatewayId, name, item.value));
    }
  }
}

const latestOf = ({ lastError, explanation, lastRun }: RuleReport): number =>
  Math.max(lastError?.at ?? 0, explanation?.at ?? 0, lastRun?.at ?? 0);

/** What a full upload has not named: the gateway has it no more. */
export async function* goneRules(
  { rules }: Pick<Needs, "rules">,
  siteId: string,
  named: ReadonlySet<string>,
): AsyncIterable<RuleItem> {
  const isGone = ({ kind, key }: { readonly kind: string; readonly key: string }) => !named.has(`${kind} ${key}`);
  for (const id of await rules.ids(siteId)) {
    const item = { kind: "rule", key: ruleKey({ siteId, id }), value: null } as const;
    if (isGone(item)) yield item;
  }
  for (const { name } of await rules.variables(siteId)) {
    const item = { kind: "variable", key: variableKey({ siteId, name }), value: null } as const;
    if (isGone(item)) yield item;
  }
}
