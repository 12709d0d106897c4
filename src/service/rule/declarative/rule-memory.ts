// What a declarative rule remembers, on disk: its state together with the effects that it wants and that are not done yet, and its
// traces. It is kept where scripts keep their values, as JSON in byte strings.

import { parseRuleState } from "#core/rule/parse-rule-state.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { NEW_STATE, type RuleState } from "#core/rule/rule-state.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { Needs } from "#service/ports.ts";

/** An effect that was wanted at this time. */
export interface WantedEffect {
  readonly at: number;
  readonly effect: RuleEffect;
}

export interface RuleMemory {
  readonly state: RuleState;
  readonly wanted: readonly WantedEffect[];
  readonly traces: readonly RuleTrace[];
  /** Why something of it is lost. */
  readonly problems: readonly string[];
}

const STATE = "declarative.state";
const TRACE = "declarative.trace.";
/** Of the rule alone: 100 traces and its state. */
const LIMITS = { entries: 1_000, bytes: 8 * 1_048_576 };

type Rules = Pick<Needs["rules"], "storage" | "putStored" | "removeStored">;

const bytesOf = (value: unknown): string => Buffer.from(JSON.stringify(value), "utf8").toString("latin1");
const textOf = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

export async function readMemory(rules: Rules, ruleId: string): Promise<RuleMemory> {
  const stored = await rules.storage(ruleId);
  const found = stored.get(STATE);
  const both = found === undefined ? undefined : parsed(found);
  const { state, problems } =
    found === undefined ? { state: NEW_STATE, problems: [] } : parseRuleState(JSON.stringify(both?.["state"] ?? null));
  const traces = [...stored].flatMap(([key, text]) => {
    const trace = key.startsWith(TRACE) ? parsed(text) : undefined;
    return isTrace(trace) ? [trace] : [];
  });
  const newest = Array.isArray(both?.["traces"]) ? both["traces"].filter(isTrace) : [];
  return {
    state,
    // Where the state is lost nobody knows what was done since.
    wanted: problems.length === 0 ? wantedIn(both?.["wanted"]) : [],
    // Those beside the state may not have got an entry of their own.
    traces: [...new Map([...newest, ...traces].map((trace) => [trace.id, trace])).values()].sort((a, b) => a.at - b.at),
    problems,
  };
}

/** In one write, with the traces of this step: after a crash, what was wanted is done, nothing is wanted twice, and it is known why. */
export async function writeMemory(
  rules: Rules,
  ruleId: string,
  { state, wanted, traces }: Pick<RuleMemory, "state" | "wanted" | "traces">,
): Promise<void> {
  await put(rules, ruleId, { key: STATE, value: { state, wanted, traces } });
}

export async function writeTraces(
  rules: Rules,
  ruleId: string,
  { changed, dropped }: { readonly changed: readonly RuleTrace[]; readonly dropped: readonly RuleTrace[] },
): Promise<void> {
  for (const { id } of dropped) await rules.removeStored(ruleId, traceKey(id));
  for (const trace of changed) await put(rules, ruleId, { key: traceKey(trace.id), value: trace });
}

/** Byte strings: an id has letters, digits and signs alone. */
const traceKey = (id: string): string => TRACE + id;

async function put(rules: Rules, ruleId: string, { key, value }: { readonly key: string; readonly value: unknown }) {
  const outcome = await rules.putStored(ruleId, { key, value: bytesOf(value) }, LIMITS);
  // A rule that is gone has nothing to remember.
  if (outcome === "full") throw new Error(`the memory of rule ${ruleId} is full`);
}

function parsed(bytes: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(textOf(bytes));
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

function isTrace(value: unknown): value is RuleTrace {
  return (
    isObject(value) &&
    ["id", "trigger", "outcome", "why", "branch"].every((field) => typeof value[field] === "string") &&
    typeof value["at"] === "number" &&
    ["causes", "evidence", "steps"].every((field) => Array.isArray(value[field]))
  );
}
