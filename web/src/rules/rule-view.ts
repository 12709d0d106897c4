// Rules as a list shows them. Pure.
import type { Rule, RuleEngine, RuleEvent } from "#client/resources.ts";
import { nameOf } from "./rule-code.ts";

/** `failed`: it stopped by an error. `waiting`: it is enabled, and the engine is suspended. */
export type RuleState = "running" | "failed" | "waiting" | "off" | "stopped";

export const TONES = {
  running: "ok",
  failed: "error",
  waiting: "warning",
  off: "neutral",
  stopped: "warning",
} as const satisfies Readonly<Record<RuleState, string>>;

type Stated = Pick<Rule, "disabled" | "state" | "last_error" | "restart_at">;

export function stateOf(rule: Stated, engine: RuleEngine["state"] | undefined): RuleState {
  if (rule.disabled) return "off";
  if (engine === "SUSPENDED") return "waiting";
  if (rule.state === "STARTED") return "running";
  return rule.last_error === null && rule.restart_at === null ? "stopped" : "failed";
}

export type NamedRule = { readonly rule: Rule; readonly name: string };

/** Those that a search means, by name; what failed comes first. */
export function shownRules(
  rules: readonly Rule[],
  { search, engine }: { readonly search: string; readonly engine: RuleEngine["state"] | undefined },
): readonly NamedRule[] {
  const wanted = search.trim().toLowerCase();
  const named = rules.map((rule) => ({ rule, name: nameOf(rule) }));
  const isFailed = ({ rule }: NamedRule) => stateOf(rule, engine) === "failed";
  return named
    .filter(({ rule, name }) => `${name} ${rule.slug} ${rule.explanation?.text ?? ""}`.toLowerCase().includes(wanted))
    .sort(
      (one, other) =>
        Number(isFailed(other)) - Number(isFailed(one)) ||
        one.name.localeCompare(other.name) ||
        one.rule.slug.localeCompare(other.rule.slug),
    );
}

/** What an event says about a rule. */
export function withNews(rule: Rule, news: RuleEvent): Rule {
  const { slug, state, disabled, explanation, last_run } = news;
  return rule.id === news.rule_id ? { ...rule, slug, state, disabled, explanation, last_run } : rule;
}

/** Which of the chosen rules a button would change. */
export const changeable = (rules: readonly Rule[], chosen: ReadonlySet<string>, disabled: boolean): readonly string[] =>
  rules.filter((rule) => chosen.has(rule.id) && rule.disabled !== disabled).map(({ id }) => id);
