// Traces of rules in Lua: of each activity of a script that did something or failed, what it read before, what it did, and how it
// ended. One that changed nothing leaves none.
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import { say } from "#core/rule/run-phrases.ts";
import type { SentRequest } from "#core/rule/shown-request.ts";
import type { RuleWatch } from "./rule-function.ts";

/** An activity of a script: its file, or a job or handler of it. */
interface LuaActivity {
  /** Of one start of the script, each has another one. */
  readonly id: number;
  readonly kind: string;
  readonly beganAt: number;
}

type PlacedActivity = LuaActivity & { readonly place: string | undefined };

export interface LuaTraces {
  /** For one call of the activity, from this line. */
  watch(
    ruleId: string,
    by: LuaActivity,
    place: string | undefined,
    isAgain?: boolean,
  ): RuleWatch & { answered(values: readonly unknown[]): void };
  /** The activity sends a request. The answered function says what came of it. */
  requested(ruleId: string, by: PlacedActivity, sent: SentRequest): (result: string) => void;
  ended(ruleId: string, by: LuaActivity, how: { readonly at: number; readonly error: string | undefined }): void;
  /** Nothing of the rule runs any more. */
  stopped(ruleId: string): void;
  /** The script begins anew: what still goes on has been cut, here and in traces that were stored before. */
  cut(ruleId: string, stored: readonly RuleTrace[]): void;
}

interface Open {
  readonly by: LuaActivity;
  /** Whether it is stored. Requests that only read are no reason. */
  isTold: boolean;
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
      ...{
        why: isAgain ? say("trigger_again") : (WHY[kind] ?? kind),
        causes: [],
        evidence: [],
        steps: [],
        endedAt: undefined,
        ended: undefined,
      },
    };
    const one = { by, trace: fresh, isTold: false };
    open.set(ruleId, one);
    return one;
  }

  /** The number of the step; undefined: there are too many. */
  function addStep(one: Open, place: string, what: string): number | undefined {
    const { steps } = one.trace;
    if (steps.length >= MOST_STEPS) return undefined;
    const added = { place, at: now(), key: undefined, what: short(what), result: undefined };
    one.trace = { ...one.trace, steps: [...steps, added] };
    return steps.length;
  }

  function settle(ruleId: string, one: Open, step: number | undefined, result: string): void {
    if (step === undefined) return;
    const steps = one.trace.steps.map((each, n) => (n === step ? { ...each, result } : each));
    one.trace = { ...one.trace, steps };
    if (one.isTold) trace(ruleId, one.trace);
  }

  return {
    requested(ruleId, { place = "", ...by }, { what, changes }) {
      const one = begin(ruleId, by);
      const step = addStep(one, place, what);
      one.isTold ||= changes;
      if (one.isTold) trace(ruleId, one.trace);
      return (result) => {
        // The activity may have ended meanwhile.
        if (open.get(ruleId) === one) settle(ruleId, one, step, short(result));
      };
    },
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
          step = addStep(one, place, what);
          one.isTold = true;
          if (step !== undefined) trace(ruleId, one.trace);
        },
        answered(values) {
          settle(ruleId, one, step, resultOf(values));
        },
      };
    },
    ended(ruleId, by, { at, error }) {
      const one = begin(ruleId, by);
      open.delete(ruleId);
      if (!one.isTold && error === undefined) return;
      const failed = error === undefined ? {} : { outcome: "failed" as const, why: short(error) };
      const ended = error === undefined ? say("script_ended") : short(error);
      trace(ruleId, { ...one.trace, ...failed, endedAt: at, ended });
    },
    cut(ruleId, stored) {
      const own = open.get(ruleId);
      open.delete(ruleId);
      const told = own?.isTold === true ? [...stored, own.trace] : stored;
      for (const one of new Map(told.map((each) => [each.id, each])).values())
        if (one.endedAt === undefined) trace(ruleId, { ...one, endedAt: now(), ended: say("cut") });
    },
    stopped(ruleId) {
      const one = open.get(ruleId);
      open.delete(ruleId);
      if (one?.isTold === true) trace(ruleId, { ...one.trace, endedAt: now(), ended: say("stopped") });
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
