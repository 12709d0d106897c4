import type { ConditionInterlock, Test } from "./interlock.ts";
import {
  fixedLimits,
  type Inputs,
  type InterlockState,
  measure,
  type Outcome,
  sinceOf,
  waiting,
  waitingSince,
} from "./outcome.ts";
import type { Resolved } from "./resolve-interlock.ts";

export interface ConditionMemory {
  readonly kind: "condition";
  readonly state: InterlockState;
  readonly since: number;
  /** What the last known measurement said, and when. */
  readonly isTrue: boolean;
  readonly trueSince: number;
  readonly knownAt: number | undefined;
}

export function evaluateCondition(
  { interlock, source, limits }: Extract<Resolved, { readonly kind: "condition" }>,
  before: ConditionMemory | undefined,
  inputs: Inputs,
): { readonly outcome: Outcome; readonly memory: ConditionMemory | undefined } {
  const { now } = inputs;
  const { when, whenUnknown, keepMs, holdMs, staleMs } = interlock;
  const measured = measure(source, staleMs, inputs);
  const value = measured?.value;
  const awaited = value === undefined ? waitingSince([source], before, { ...inputs, staleMs }) : undefined;
  // A clock that was set back does not keep it for longer.
  const lastKnown = before?.knownAt === undefined ? undefined : Math.min(before.knownAt, now);
  const isKept = value === undefined && whenUnknown === "keep" && lastKnown !== undefined && now - lastKnown < keepMs;
  const isUnknown = value === undefined && !isKept;
  if (isUnknown && awaited !== undefined) {
    const why = `the first value of ${when.attribute} of ${when.device} has not come yet`;
    const held = limits.flatMap(fixedLimits).map(waiting);
    return { outcome: { state: "waiting", since: awaited, why, limits: held, measured: [] }, memory: before };
  }
  const said = value === undefined ? undefined : isMet(when.test, value);
  // Between the two thresholds it stays as it was. Nobody knows how it was before the start, so it holds.
  const isMetNow = value === undefined ? isUnknown || before?.isTrue !== false : (said ?? before?.isTrue !== false);
  const trueSince = before?.isTrue === true ? Math.min(before.trueSince, now) : now;
  const isTrue = isMetNow || (before?.isTrue === true && now - trueSince < holdMs);
  const state = isUnknown ? "blind" : isTrue ? "holding" : "idle";
  const since = sinceOf(before, state, now);
  const knownAt = value === undefined ? lastKnown : now;
  return {
    outcome: {
      state,
      since,
      why: isUnknown ? `${when.attribute} of ${when.device} is unknown` : describe(interlock, isTrue),
      limits: isTrue ? limits.flatMap(fixedLimits) : [],
      measured: measured === undefined ? [] : [measured],
    },
    memory: { kind: "condition", state, since, isTrue, trueSince, knownAt },
  };
}

/** Undefined between the thresholds. */
function isMet(test: Test, value: number | string | boolean): boolean | undefined {
  if (test.kind === "equals") return value === test.value;
  if (typeof value !== "number") return true;
  const { threshold, hysteresis } = test;
  if (test.kind === "above") return value > threshold ? true : value <= threshold - hysteresis ? false : undefined;
  return value < threshold ? true : value >= threshold + hysteresis ? false : undefined;
}

function describe({ when }: ConditionInterlock, isTrue: boolean): string {
  const { test } = when;
  const words = test.kind === "equals" ? `is ${test.value}` : `is ${test.kind} ${test.threshold}`;
  return `${when.attribute} of ${when.device} ${isTrue ? words : words.replace("is", "is not")}`;
}
