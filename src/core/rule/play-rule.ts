// A rule in virtual time: its steps one after the other, and a record of what they wanted. Whoever plays it has the clock and the world.
import { createBands } from "./claim-bands.ts";
import { parseRuleState } from "./parse-rule-state.ts";
import type { RuleEffect } from "./rule-effect.ts";
import { NEW_STATE, type RuleState, renderRuleState } from "./rule-state.ts";
import { type RuleTrace, recordTraces, type TraceUpdate } from "./rule-trace.ts";
import type { RuleWorld } from "./rule-world.ts";
import { type NamedRule, type RuleEvent, type RuleStep, stepRule } from "./step-rule.ts";

const MOST_EFFECTS = 10_000;
const MOST_UPDATES = 1_000;

export function playRule(named: NamedRule) {
  const bands = createBands();
  const effects: { readonly at: number; readonly effect: RuleEffect }[] = [];
  const updates: TraceUpdate[] = [];
  let traces: readonly RuleTrace[] = [];
  let started = 0;
  let state: RuleState = NEW_STATE;
  return {
    bands,
    /** Commands, messages and variables, and what was reported. Claims are bands. */
    effects,
    step(world: RuleWorld, event: RuleEvent): RuleStep {
      const step = stepRule(named, state, { world, event });
      for (const effect of step.effects) {
        if (effect.kind === "claim" || effect.kind === "release") bands.take(effect, world.now);
        else if (effects.length < MOST_EFFECTS) effects.push({ at: world.now, effect });
      }
      started += step.trace.filter(isStart).length;
      updates.push(...step.trace);
      if (updates.length > MOST_UPDATES) traces = recordTraces(traces, updates.splice(0));
      state = step.state;
      return step;
    },
    /** The service ends and begins again: only what is stored is left. */
    restart(): void {
      state = parseRuleState(renderRuleState(state)).state;
    },
    isOn: (): boolean => state.isOn,
    /** How many times `then` began. */
    started: (): number => started,
    /** The last ones. */
    traces: (): readonly RuleTrace[] => {
      traces = recordTraces(traces, updates.splice(0));
      return traces;
    },
  };
}

const isStart = (update: TraceUpdate): boolean =>
  update.kind === "begin" && update.trace.outcome === "ran" && update.trace.branch === "then";
