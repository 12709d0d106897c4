// What a rule did and why: one trace for each run, and for each moment that started none.
import type { Evidence } from "./evaluate-rule-condition.ts";
import { type Branch, MOST_TRACES } from "./rule.ts";

/**
 * `ran`: its actions were run. `skipped`: another run was going on, or its time was missed. `not_met`: `if` was false and there is
 * nothing else to do. `unknown`: nobody knows whether `if` is true, so nothing was done. `loop`: rules start each other in a circle.
 * `failed`: an error of its script ended it.
 */
export const TRACE_OUTCOMES = ["ran", "skipped", "not_met", "unknown", "loop", "failed"] as const;
export type TraceOutcome = (typeof TRACE_OUTCOMES)[number];

interface TraceStep {
  /** JSON pointer of the action, or the function that a script called. */
  readonly place: string;
  readonly at: number;
  /** The effect that it led to. */
  readonly key: string | undefined;
  /** In words for people. */
  readonly what: string;
  /** What became of the effect, once that is known. */
  readonly result: string | undefined;
}

export interface RuleTrace {
  readonly id: string;
  readonly at: number;
  /** JSON pointer of the trigger; `/when` for the conditions together. */
  readonly trigger: string;
  readonly outcome: TraceOutcome;
  readonly why: string;
  readonly branch: Branch;
  readonly causes: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly steps: readonly TraceStep[];
  /** Undefined: it goes on. */
  readonly endedAt: number | undefined;
  readonly ended: string | undefined;
}

export type TraceUpdate =
  | { readonly kind: "begin"; readonly trace: RuleTrace }
  | { readonly kind: "step"; readonly id: string; readonly step: TraceStep }
  | { readonly kind: "end"; readonly id: string; readonly at: number; readonly why: string }
  /** From whoever carried out the effect. */
  | { readonly kind: "result"; readonly key: string; readonly result: string };

/** A run that goes round and round for weeks must not fill the memory. */
const MOST_STEPS = 200;

/** The newest ones, the oldest first. */
export function recordTraces(traces: readonly RuleTrace[], updates: readonly TraceUpdate[]): readonly RuleTrace[] {
  const byId = new Map(traces.map((trace) => [trace.id, trace]));
  for (const update of updates) {
    if (update.kind === "begin") {
      byId.set(update.trace.id, update.trace);
      continue;
    }
    if (update.kind === "result") {
      const { key, result } = update;
      const trace = byId.get(runOfKey(key));
      const isNews = trace?.steps.some((step) => step.key === key && step.result !== result);
      if (!trace || !isNews) continue;
      byId.set(trace.id, {
        ...trace,
        steps: trace.steps.map((step) => (step.key === key ? { ...step, result } : step)),
      });
      continue;
    }
    const trace = byId.get(update.id);
    if (trace === undefined) continue;
    if (update.kind === "end") byId.set(trace.id, { ...trace, endedAt: update.at, ended: update.why });
    else if (trace.steps.length < MOST_STEPS) byId.set(trace.id, { ...trace, steps: [...trace.steps, update.step] });
  }
  return [...byId.values()].slice(-MOST_TRACES);
}

/** The key of an effect is that of its run, and the number of its action. */
export const keyOf = (runId: string, action: number): string => `${runId}/${action}`;
const runOfKey = (key: string): string => key.slice(0, key.lastIndexOf("/"));

/** For traces that are read from outside. */
export function isRuleTrace(value: unknown): value is RuleTrace {
  return (
    isObject(value) &&
    ["id", "trigger", "why"].every((field) => typeof value[field] === "string") &&
    TRACE_OUTCOMES.some((outcome) => outcome === value["outcome"]) &&
    (value["branch"] === "then" || value["branch"] === "else") &&
    isTime(value["at"]) &&
    (value["endedAt"] === undefined || isTime(value["endedAt"])) &&
    isList(value["causes"], (cause) => typeof cause === "string") &&
    isList(value["evidence"], isEvidence) &&
    isList(value["steps"], isStep)
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isList = (value: unknown, isItem: (item: unknown) => boolean) => Array.isArray(value) && value.every(isItem);

const isEvidence = (value: unknown) =>
  isObject(value) &&
  typeof value["place"] === "string" &&
  typeof value["subject"] === "string" &&
  ["undefined", "string", "number", "boolean"].includes(typeof value["value"]) &&
  ["undefined", "number"].includes(typeof value["ageMs"]) &&
  ["undefined", "boolean"].includes(typeof value["truth"]) &&
  (value["attribute"] === undefined || isAttribute(value["attribute"]));

const isAttribute = (value: unknown) =>
  isObject(value) && typeof value["device"] === "string" && typeof value["attribute"] === "string";

const isStep = (value: unknown) =>
  isObject(value) &&
  typeof value["place"] === "string" &&
  typeof value["what"] === "string" &&
  ["undefined", "string"].includes(typeof value["result"]) &&
  isTime(value["at"]);

/** Milliseconds that a Date can hold. */
const FARTHEST = 8.64e15;
const isTime = (value: unknown) => typeof value === "number" && Math.abs(value) <= FARTHEST;
