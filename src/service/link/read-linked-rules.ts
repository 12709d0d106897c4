// What a gateway sends to its cloud of the rules of its sites.
import { parseRuleKey, parseVariableKey, ruleKey, variableKey } from "#core/link/linked-key.ts";
import type { LinkedItem, LinkedNotification, LinkedRule } from "#core/link/messages.ts";
import type { Notification } from "#core/notification/notification.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { allAtOnce, allPages } from "#service/all-pages.ts";
import type { Needs } from "#service/ports.ts";

type ReadRuleNeeds = Pick<Needs, "rules" | "notifications">;

interface RuleItemKey {
  readonly kind: "rule_engine" | "rule" | "rule_report" | "variable" | "notification";
  readonly key: string;
}

export async function readRuleItem(
  { rules, notifications }: ReadRuleNeeds,
  { kind, key }: RuleItemKey,
): Promise<LinkedItem> {
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
    case "notification": {
      const name = parseRuleKey(key);
      const found = name && (await notifications.find(name.siteId, name.id));
      return { kind, key, value: found === undefined ? null : linkedNotification(found) };
    }
    case "variable": {
      const name = parseVariableKey(key);
      const found = name && (await rules.variables(name.siteId)).find((one) => one.name === name.name);
      return { kind, key, value: found === undefined ? null : { value: found.value, updatedAt: found.updatedAt } };
    }
  }
}

/** What rules told people; newest first, as what passes by. */
export async function* readNotifications(
  { notifications }: ReadRuleNeeds,
  siteIds: readonly string[],
): AsyncIterable<LinkedItem> {
  for (const siteId of siteIds) {
    for await (const notification of allPages((page) => notifications.list(siteId, page))) {
      yield { kind: "notification", key: ruleKey(notification), value: linkedNotification(notification) };
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

const linkedNotification = ({ id: _, siteId: __, ...notification }: Notification): LinkedNotification => notification;

const linkedRule = ({ id: _, siteId: __, ...rule }: SiteRule): LinkedRule => rule;
