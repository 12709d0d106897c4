import { listAll } from "#client/list-all.ts";
import type { Rule, RuleEngine, RuleEvent } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { live } from "#web/data/live.svelte.ts";
import { withNews } from "./rule-view.ts";

/** Rules say by events when they change. What no event reports, such as a new rule, is found by reading again. */
const EVERY_MS = 20_000;
/** Many events at once are one question. */
const GATHER_MS = 300;

/** The rules of a site and their engine. Call it while a component is made. */
export function ruleList(site: string) {
  let rules = $state.raw<readonly Rule[] | undefined>();
  let engine = $state.raw<RuleEngine["state"] | undefined>();
  let failure = $state.raw<unknown>();
  /** An answer that was asked for before something newer is known is dropped. */
  let asked = 0;
  let soon: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    asked += 1;
    const mine = asked;
    try {
      const [found, known] = await Promise.all([
        Array.fromAsync(listAll("rules", (window) => client.rules.list(site, window))),
        client.rules.engine(site),
      ]);
      if (mine === asked) [rules, engine, failure] = [found, known.engine.state, undefined];
    } catch (error) {
      if (mine === asked) failure = error;
    }
  }

  /** An event says how a rule is; its revision and its last error are read. */
  function take(news: RuleEvent): void {
    if (news.site_id !== site) return;
    const known = rules?.find(({ id }) => id === news.rule_id);
    rules = rules?.map((rule) => withNews(rule, news));
    if (known === undefined || known.state !== news.state || known.disabled !== news.disabled)
      soon ??= setTimeout(() => {
        soon = undefined;
        void read();
      }, GATHER_MS);
  }

  /** Takes over what the server has just answered. */
  function put(changed: readonly Rule[]): void {
    asked += 1;
    rules = rules?.map((rule) => changed.find(({ id }) => id === rule.id) ?? rule);
  }

  $effect(() => {
    void read();
    const timer = setInterval(() => !document.hidden && void read(), EVERY_MS);
    const stops = [live.onCatchUp(() => void read()), live.on(["rule"], take)];
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      soon = undefined;
      for (const stop of stops) stop();
      asked += 1;
    };
  });

  return {
    /** Undefined before the first answer. */
    get rules(): readonly Rule[] | undefined {
      return rules;
    },
    get engine(): RuleEngine["state"] | undefined {
      return engine;
    },
    /** Why the last question has no answer. What is known stays. */
    get failure(): unknown {
      return failure;
    },
    read,
    put,
    setEngine(state: RuleEngine["state"]): void {
      engine = state;
      void read();
    },
  };
}
