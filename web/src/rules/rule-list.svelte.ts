import { listAll } from "#client/list-all.ts";
import type { Rule, RuleEngine, RuleEvent } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { latest } from "#web/data/latest.svelte.ts";
import { live } from "#web/data/live.svelte.ts";
import { soon } from "#web/data/soon.ts";
import { withNews } from "./rule-view.ts";

/** Rules say by events when they change. What no event reports, such as a new rule, is found by reading again. */
const EVERY_MS = 20_000;

/** The rules of a site and their engine. Call it while a component is made. */
export function ruleList(site: string) {
  const answer = latest(async () => {
    const [rules, { engine }] = await Promise.all([
      Array.fromAsync(listAll("rules", (window) => client.rules.list(site, window))),
      client.rules.engine(site),
    ]);
    return { rules: rules as readonly Rule[], engine: engine.state };
  });
  const again = soon(() => void answer.read());

  function change(to: (rule: Rule) => Rule): void {
    if (answer.value !== undefined) answer.value = { ...answer.value, rules: answer.value.rules.map(to) };
  }

  /** An event says how a rule is; its revision and its last error are read. */
  function take(news: RuleEvent): void {
    if (news.site_id !== site) return;
    const known = answer.value?.rules.find(({ id }) => id === news.rule_id);
    change((rule) => withNews(rule, news));
    if (known === undefined || known.state !== news.state || known.disabled !== news.disabled) again.ask();
  }

  /** Takes over what the server has just answered. */
  function put(changed: readonly Rule[]): void {
    answer.drop();
    change((rule) => changed.find(({ id }) => id === rule.id) ?? rule);
  }

  $effect(() => {
    void answer.read();
    const timer = setInterval(() => !document.hidden && void answer.read(), EVERY_MS);
    const stops = [live.onCatchUp(() => void answer.read()), live.on(["rule"], take)];
    return () => {
      clearInterval(timer);
      again.stop();
      for (const stop of stops) stop();
      answer.drop();
    };
  });

  return {
    /** Undefined before the first answer. */
    get rules(): readonly Rule[] | undefined {
      return answer.value?.rules;
    },
    get engine(): RuleEngine["state"] | undefined {
      return answer.value?.engine;
    },
    /** Why the last question has no answer. What is known stays. */
    get failure(): unknown {
      return answer.error;
    },
    read: answer.read,
    put,
    setEngine(state: RuleEngine["state"]): void {
      if (answer.value !== undefined) answer.value = { ...answer.value, engine: state };
      void answer.read();
    },
  };
}
