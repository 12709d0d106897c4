// Copies what a gateway reports of the rules of its sites.
import { parseRuleKey, parseVariableKey, ruleKey, variableKey } from "#core/link/linked-key.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import { RecordRefused } from "#core/link/refused-record.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import { allAtOnce } from "#service/all-pages.ts";
import type { Needs } from "#service/ports.ts";

export type CopyRuleNeeds = Pick<Needs, "copies" | "rules" | "now">;

export type RuleItem = Extract<LinkedItem, { kind: "rule_engine" | "rule" | "rule_report" | "variable" }>;

/** The clocks of the two sides may differ. */
const MOST_AHEAD_MS = 86_400_000;

export async function copyRuleItem({ copies, now }: CopyRuleNeeds, gatewayId: string, item: RuleItem): Promise<void> {
  switch (item.kind) {
    case "rule_engine":
      return await copies.ruleEngine(gatewayId, item.key, item.value);
    case "rule": {
      const name = parseRuleKey(item.key);
      return name && (await copies.rule(gatewayId, name, item.value));
    }
    case "rule_report": {
      const name = parseRuleKey(item.key);
      if (item.value !== null && latestOf(item.value) > now() + MOST_AHEAD_MS) {
        throw new RecordRefused("the rule reports what happens in the future");
      }
      return name && (await copies.ruleReport(gatewayId, name, item.value));
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
  { rules }: CopyRuleNeeds,
  siteId: string,
  named: ReadonlySet<string>,
): AsyncIterable<RuleItem> {
  const isGone = ({ kind, key }: { readonly kind: string; readonly key: string }) => !named.has(`${kind} ${key}`);
  for (const rule of await allAtOnce((page) => rules.list(siteId, page))) {
    const item = { kind: "rule", key: ruleKey(rule), value: null } as const;
    if (isGone(item)) yield item;
  }
  for (const { name } of await rules.variables(siteId)) {
    const item = { kind: "variable", key: variableKey({ siteId, name }), value: null } as const;
    if (isGone(item)) yield item;
  }
}
