// One step of a rule while it is calculated: the state as lists that change, and what came out so far.
import type { Evidence } from "./evaluate-rule-condition.ts";
import { type DeclarativeRule, MOST_PER_MINUTE } from "./rule.ts";
import type { RuleEffect } from "./rule-effect.ts";
import type { HeldClaim, RuleState, Run } from "./rule-state.ts";
import type { RuleTrace, TraceUpdate } from "./rule-trace.ts";
import type { RuleWorld } from "./rule-world.ts";

export interface RuleWork {
  readonly id: string;
  readonly rule: DeclarativeRule;
  readonly world: RuleWorld;
  readonly now: number;
  runs: Run[];
  queue: Run[];
  claims: HeldClaim[];
  sent: Map<string, readonly number[]>;
  readonly effects: RuleEffect[];
  readonly trace: TraceUpdate[];
  /** What was looked at in this step. */
  evidence: readonly Evidence[];
}

const MINUTE_MS = 60_000;

export function openWork(given: Pick<RuleWork, "id" | "rule" | "world">, state: RuleState): RuleWork {
  const { now } = given.world;
  const recent = state.sent.map(([target, times]) => [target, times.filter((at) => isRecent(at, now))] as const);
  return {
    ...given,
    now,
    runs: [...state.runs],
    queue: [...state.queue],
    claims: [...state.claims],
    sent: new Map(recent.filter(([, times]) => times.length > 0)),
    effects: [],
    trace: [],
    evidence: [],
  };
}

/** Also what a clock that was set back has put into the future. */
const isRecent = (at: number, now: number): boolean => Math.abs(now - at) < MINUTE_MS;

/** Counts an effect for a target. False: there were too many. */
export function takesTurn(work: RuleWork, target: string): boolean {
  const times = work.sent.get(target) ?? [];
  if (times.length >= MOST_PER_MINUTE) return false;
  work.sent.set(target, [...times, work.now]);
  return true;
}

type NewTrace = Pick<RuleTrace, "id" | "trigger" | "outcome" | "why" | "branch" | "causes">;

export function beginTrace(work: RuleWork, given: NewTrace): void {
  const { now, evidence } = work;
  const isOver = given.outcome !== "ran";
  work.trace.push({
    kind: "begin",
    trace: {
      ...given,
      at: now,
      evidence,
      steps: [],
      endedAt: isOver ? now : undefined,
      ended: isOver ? given.why : undefined,
    },
  });
}

export function endTrace({ trace, now }: RuleWork, id: string, why: string): void {
  trace.push({ kind: "end", id, at: now, why });
}
