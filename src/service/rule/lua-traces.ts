// Traces of rules in Lua: of each activity of a script that did something or failed, what it read before, what it did, and how it
// ended. One that changed nothing leaves none.
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import { say } from "#core/rule/run-phrases.ts";
import type { RuleWatch } from "./rule-function.ts";

/** An activity of a script: its file, or a job or handler of it. */
interface LuaActivity {
  /** Of one start of the script, each has another one. */
  readonly id: number;
  readonly kind: string;
  readonly beganAt: number;
}

export interface LuaTraces {
  /** For one call of the activity, from this line. */
  watch(
    ruleId: string,
    by: LuaActivity,
    place: string | undefined,
    isAgain?: boolean,
  ): RuleWatch & { answered(values: readonly unknown[]): void };
  ended(ruleId: string, by: LuaActivity, how: { readonly at: number; readonly error: string | undefined }): void;
  /** Nothing of the rule runs any more. */
  stopped(ruleId: string): void;
  /** The script begins anew: what still goes on has been cut, here and in traces that were stored before. */
  cut(ruleId: string, stored: readonly RuleTrace[]): void;
}

interface Open {
  readonly by: LuaActivity;
  trace: RuleTrace;
}

const MOST_EVIDENCE = 50;
const MOST_STEPS = 100;
const LONGEST_TEXT = 300;
const WHY: Readonly<Record<string, string>> = {
  main: say("script_run"),
  job: say("job_due"),
  trigger: say("trigger_came"),
};

interface LuaTracesNeeds {
  readonly now: () => number;
  /** Stores it. It comes again with the same id when it has changed. */
  readonly trace: (ruleId: string, trace: RuleTrace) => void;
}

export function createLuaTraces({ now, trace }: LuaTracesNeeds): LuaTraces {
  const open = new Map<string, Open>();

  function begin(ruleId: string, by: LuaActivity, isAgain = false): Open {
    const before = open.get(ruleId);
    if (before?.by.id === by.id) return before;
    const { kind, beganAt: at } = by;
    const fresh: RuleTrace = {
      ...{ id: `${ruleId}/${kind}@${at}:${Math.floor(by.id)}`, at, trigger: kind, outcome: "ran", branch: "then" },
      ...{ why: isAgain ? say("trigger_again") : (WHY[kind] ?? kind), causes: [], evidence: [], steps: [], endedAt: undefined, ended: undefined },
    };
    const one = { by, trace: fresh };
    open.set(ruleId, one);
    return one;
  }

  return {
    watch(ruleId, by, place = "", isAgain = false) {
      const one = begin(ruleId, by, isAgain);
      let step: number | undefined;
      return {
        saw({ subject, value, ageMs }) {
          const { evidence } = one.trace;
          if (evidence.length >= MOST_EVIDENCE) return;
          const seen = { place, subject: short(subject), value: plainOf(value), ageMs, truth: undefined, causes: [] };
          one.trace = { ...one.trace, evidence: [...evidence, seen] };
        },
        acted(what) {
          const { steps } = one.trace;
          if (steps.length >= MOST_STEPS) return;
          step = steps.length;
          const added = { place, at: now(), key: undefined, what: short(what), result: undefined };
          one.trace = { ...one.trace, steps: [...steps, added] };
          trace(ruleId, one.trace);
        },
        answered(values) {
          if (step === undefined) return;
          const steps = one.trace.steps.map((each, n) => (n === step ? { ...each, result: resultOf(values) } : each));
          one.trace = { ...one.trace, steps };
          trace(ruleId, one.trace);
        },
      };
    },
    ended(ruleId, by, { at, error }) {
      const one = begin(ruleId, by);
      open.delete(ruleId);
      if (one.trace.steps.length === 0 && error === undefined) return;
      const failed = error === undefined ? {} : { outcome: "failed" as const, why: short(error) };
      const ended = error === undefined ? say("script_ended") : short(error);
      trace(ruleId, { ...one.trace, ...failed, endedAt: at, ended });
    },
    cut(ruleId, stored) {
      const own = open.get(ruleId)?.trace;
      open.delete(ruleId);
      const known = new Map([...stored, ...(own === undefined || own.steps.length === 0 ? [] : [own])].map((one) => [one.id, one]));
      for (const one of known.values())
        if (one.endedAt === undefined) trace(ruleId, { ...one, endedAt: now(), ended: say("cut") });
    },
    stopped(ruleId) {
      const one = open.get(ruleId);
      open.delete(ruleId);
      if (one !== undefined && one.trace.steps.length > 0)
        trace(ruleId, { ...one.trace, endedAt: now(), ended: say("stopped") });
    },
  };
}

const short = (text: string): string => text.slice(0, LONGEST_TEXT);

function plainOf(value: unknown): string | number | boolean | undefined {
  if (typeof value === "number" || typeof value === "boolean") return value;
  return value === undefined || value === null
    ? undefined
    : short(typeof value === "string" ? value : JSON.stringify(value));
}

function resultOf([value, problem]: readonly unknown[]): string {
  if (value === null || value === undefined) return short(String(problem ?? say("nothing")));
  return value === true ? say("done") : short(typeof value === "object" ? JSON.stringify(value) : String(value));
}
