// What a script gives to `on` and `schedule`, as a declarative rule that does nothing by itself: the same forms, the same reader and
// the same mistakes as `when` of a rule in YAML.
import type { DeclarativeRule } from "#core/rule/rule.ts";
import { RuleProblem } from "#service/rule/rule-arguments.ts";
import { cronProblem } from "#service/schedule/next-time.ts";

export interface GivenTrigger {
  /** A condition or a moment, a list of them, or a table with `when` and what belongs to it. */
  readonly trigger: unknown;
  /** Whether the script has a function for the other branch. */
  readonly hasElse: boolean;
}

/** What stands beside `when`. */
const BESIDE: readonly string[] = ["for", "if", "min_on", "min_off", "missed", "late"];
const LONGEST_TRIGGER = 20_000;
const MOST_TOLD = 3;

const NOTHING = { kind: "wait", ms: 0 } as const;

export async function readTrigger({ trigger, hasElse }: GivenTrigger): Promise<DeclarativeRule> {
  const given = isTable(trigger) ? trigger : { when: trigger };
  const beside = Object.fromEntries(BESIDE.flatMap((key) => (Object.hasOwn(given, key) ? [[key, given[key]]] : [])));
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => !BESIDE.includes(key)));
  const when = Object.hasOwn(given, "when") ? given["when"] : rest;
  // The reader wants an action.
  const text = `${JSON.stringify({ when, ...beside }).slice(0, -1)},"then":{"wait":"1s"}}`;
  if (text.length > LONGEST_TRIGGER) throw new RuleProblem(`a trigger has at most ${LONGEST_TRIGGER} characters`);
  const { parseRule } = await import("#manifest/rule/parse-rule.ts");
  const { rule, issues } = parseRule(text, { cronProblem });
  if (rule === undefined) {
    const told = issues.filter(({ severity }) => severity === "error").slice(0, MOST_TOLD);
    throw new RuleProblem(told.map(({ path, message }) => `${path}: ${message}`).join("; "));
  }
  const step = (place: string) => [{ ...NOTHING, place }];
  return { ...rule, thenActions: step("/then"), elseActions: hasElse ? step("/else") : [] };
}

/** `"22:00"`, `"sunrise-30m"`, `"15m"` or `"0 7 * * 1-5"`, with `days`, `if`, `missed` and `late` as options. */
export function scheduleTrigger(given: unknown, options: Readonly<Record<string, unknown>>): unknown {
  if (typeof given !== "string") return isTable(given) ? { ...given, ...options } : given;
  const { days, ...beside } = options;
  const text = given.trim();
  const ofDays = days === undefined ? {} : { days };
  if (/^(?:\d?\d:\d\d$|sunrise|sunset)/.test(text)) return { ...beside, when: { at: text, ...ofDays } };
  if (/^[\d.]+(?:ms|s|m|h|d|w)/.test(text)) return { ...beside, when: { every: text, ...ofDays } };
  return { ...beside, when: { cron: text, ...ofDays } };
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
