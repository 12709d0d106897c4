// What a declarative rule remembers, on disk: its state together with the effects that it wants and that are not done yet.
import { parseRuleState } from "#core/rule/parse-rule-state.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { NEW_STATE, type RuleState } from "#core/rule/rule-state.ts";
import type { Needs } from "#service/ports.ts";

/** An effect that was wanted at this time. */
export interface WantedEffect {
  readonly at: number;
  readonly effect: RuleEffect;
}

export interface RuleMemory {
  readonly state: RuleState;
  readonly wanted: readonly WantedEffect[];
  /** Why something of it is lost. */
  readonly problems: readonly string[];
}

export async function readMemory(rules: Pick<Needs["rules"], "memory">, ruleId: string): Promise<RuleMemory> {
  const stored = await rules.memory(ruleId);
  if (stored === undefined) return { state: NEW_STATE, wanted: [], problems: [] };
  const both = parsed(stored);
  // Of a script that the rule was before.
  if (both !== undefined && Object.hasOwn(both, "triggers")) return { state: NEW_STATE, wanted: [], problems: [] };
  const { state, problems } = parseRuleState(JSON.stringify(both?.["state"] ?? null));
  // Where the state is lost nobody knows what was done since.
  return { state, wanted: problems.length === 0 ? wantedIn(both?.["wanted"]) : [], problems };
}

/** One text, so that a crash leaves either both as they were or both as they are. */
export const renderMemory = ({ state, wanted }: Pick<RuleMemory, "state" | "wanted">): string =>
  JSON.stringify({ state, wanted });

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function wantedIn(value: unknown): readonly WantedEffect[] {
  return Array.isArray(value) ? value.filter(isWanted) : [];
}

const KINDS: readonly unknown[] = [
  "claim",
  "release",
  "execute",
  "notify",
  "set",
  "report",
] satisfies RuleEffect["kind"][];

/** What an effect is about is checked by whoever carries it out. */
function isWanted(value: unknown): value is WantedEffect {
  if (!isObject(value) || typeof value["at"] !== "number" || !isObject(value["effect"])) return false;
  const { key, kind } = value["effect"];
  return typeof key === "string" && KINDS.includes(kind);
}
