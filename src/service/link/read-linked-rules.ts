// What a gateway sends to its cloud of the rules of its sites.
import { parseRuleKey, parseVariableKey, ruleKey, variableKey } from "#core/link/linked-key.ts";
import type { LinkedItem, LinkedRule } from "#core/link/messages.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { allAtOnce } from "#service/all-pages.ts";
import type { Needs } from "#service/ports.ts";

type ReadRuleNeeds = Pick<Needs, "rules">;

interface RuleItemKey {
  readonly kind: "rule_engine" | "rule" | "rule_report" | "variable";
  readonly key: string;
}

export async function readRuleItem({ rules }: ReadRuleNeeds, { kind, key }: RuleItemKey): Promise<LinkedItem> {
  switch (kind) {
    case "rule_engine":
      return { kind, key, value: { state: await rules.engineState(key) } };
    case "rule": {
      const name = parseRuleKey(key);
      const found = name && (await rules.find(name.siteId, name.id));
      return { kind, key, value: found === undefined ? null : linkedRule(found) };
    }
    case "rule_report": {
      const name = parseRuleKey(key);
      return { kind, key, value: (name && (await rules.reports(name.siteId)).get(name.id)) ?? null };
    }
    case "variable": {
      const name = parseVariableKey(key);
      const found = name && (await rules.variables(name.siteId)).find((one) => one.name === name.name);
      return { kind, key, value: found === undefined ? null : { value: found.value, updatedAt: found.updatedAt } };
    }
  }
}

export async function* readRules({ rules }: ReadRuleNeeds, siteIds: readonly string[]): AsyncIterable<LinkedItem> {
  for (const siteId of siteIds) {
    yield { kind: "rule_engine", key: siteId, value: { state: await rules.engineState(siteId) } };
    for (const rule of await allAtOnce((page) => rules.list(siteId, page))) {
      yield { kind: "rule", key: ruleKey(rule), value: linkedRule(rule) };
    }
    for (const [id, value] of await rules.reports(siteId)) {
      yield { kind: "rule_report", key: ruleKey({ siteId, id }), value };
    }
    for (const { name, value, updatedAt } of await rules.variables(siteId)) {
      yield { kind: "variable", key: variableKey({ siteId, name }), value: { value, updatedAt } };
    }
  }
}

const linkedRule = ({ id: _, siteId: __, ...rule }: SiteRule): LinkedRule => rule;
