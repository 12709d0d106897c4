// Tells listeners what rules do and how they are, when it changes. The engine asks once a second.
import { NO_DEVICE } from "#core/event/event.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Needs } from "#service/ports.ts";
import { type KnownOfRule, renderRuleNews } from "./rule-news-wire.ts";

export interface RuleNewsNeeds extends Pick<Needs, "now"> {
  readonly events: Pick<EventHub, "publish">;
  readonly prepareEvent: PrepareEvent;
}

export interface RuleNews {
  publish(rule: SiteRule, known: KnownOfRule): void;
  forget(ruleId: string): void;
}

export function createRuleNews(needs: RuleNewsNeeds): RuleNews {
  const published = new Map<string, string>();
  return {
    publish(rule, known) {
      const news = renderRuleNews(rule, known);
      const text = JSON.stringify(news);
      if (published.get(rule.id) === text) return;
      published.set(rule.id, text);
      const place = { siteId: rule.siteId, deviceId: NO_DEVICE };
      needs.events.publish(needs.prepareEvent({ ...place, kind: "rule", rule: news, at: needs.now() }));
    },
    forget: (ruleId) => published.delete(ruleId),
  };
}
