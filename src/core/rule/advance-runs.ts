// Runs of `then` and `else`: when one begins beside others, and what its actions do.
import { amountOf } from "./evaluate-rule-condition.ts";
import { type Action, actionsOf, type Branch, LONGEST_CAUSES, MOST_PER_MINUTE, MOST_RUNS } from "./rule.ts";
import { printOf } from "./rule-print.ts";
import type { Run } from "./rule-state.ts";
import { keyOf } from "./rule-trace.ts";
import { beginTrace, endTrace, type RuleWork, takesTurn } from "./rule-work.ts";
import { say } from "./run-phrases.ts";

export interface Start {
  readonly trigger: string;
  /** The moment that started it. */
  readonly at: number;
  readonly branch: Branch;
  readonly isLevel: boolean;
  readonly isCareful: boolean;
  readonly why: string;
  /** Runs of rules that led to it. */
  readonly causes: readonly string[];
  /** Tells apart what happens at the same moment. */
  readonly mark?: string;
}

export const runIdOf = (
  work: RuleWork,
  { trigger, at, branch, mark }: Omit<Start, "isLevel" | "isCareful" | "why" | "causes">,
): string => `${work.id}${trigger}@${at}${mark === undefined ? "" : `:${mark}`}/${branch}`;

export function beginRun(work: RuleWork, start: Start): void {
  const id = runIdOf(work, start);
  const { trigger, branch, isLevel, isCareful, why } = start;
  const causes = [...start.causes, id];
  const note = { id, trigger, branch, causes };
  // Nothing to do can start nobody.
  if (causes.length > LONGEST_CAUSES && actionsOf(work.rule, branch).length > 0) {
    const message = say("loop", { count: LONGEST_CAUSES });
    beginTrace(work, { ...note, outcome: "loop", why: message });
    work.effects.push({ key: keyOf(id, 0), causes, kind: "report", problem: "loop", message });
    return;
  }
  const run: Run = { id, trigger, branch, isLevel, isCareful, next: 0, dueAt: null, done: printOf([]), causes };
  const others = work.runs.filter((other) => other.isLevel === isLevel);
  const { mode } = work.rule;
  const isFull = others.length + work.queue.length >= MOST_RUNS;
  const isBlocked = !isLevel && others.length > 0 && (mode === "single" || (mode !== "restart" && isFull));
  if (isBlocked) {
    const why = mode === "single" ? say("goes_on") : say("full", { count: MOST_RUNS });
    beginTrace(work, { ...note, outcome: "skipped", why });
    return;
  }
  beginTrace(work, { ...note, outcome: "ran", why });
  // What the conditions started ends when they say the opposite.
  if (isLevel || mode === "restart")
    for (const other of others) endRun(work, other, isLevel ? say("turned") : say("again"));
  if (!isLevel && mode === "queued" && others.length > 0) work.queue.push(run);
  else work.runs.push(run);
}

export function endRun(work: RuleWork, run: Run, why: string): void {
  work.runs = work.runs.filter((other) => other !== run);
  endTrace(work, run.id, why);
}

/** Each run goes on until it waits or is over. */
export function advanceRuns(work: RuleWork): void {
  for (let n = 0; n < work.runs.length; ) {
    const run = work.runs[n];
    if (run === undefined) break;
    const advanced = advanceRun(work, run);
    if (advanced !== undefined) {
      work.runs[n] = advanced;
      n += 1;
      continue;
    }
    work.runs.splice(n, 1);
    endTrace(work, run.id, say("done"));
    const hasRoom = !work.runs.some((other) => !other.isLevel);
    const next = hasRoom ? work.queue.shift() : undefined;
    if (next !== undefined) work.runs.push(next);
  }
}

/** Undefined: it is over. */
function advanceRun(work: RuleWork, given: Run): Run | undefined {
  const actions = actionsOf(work.rule, given.branch);
  let run = given;
  for (let action = actions[run.next]; action !== undefined; action = actions[run.next]) {
    if (action.kind === "wait") {
      if (run.dueAt !== null && work.now < run.dueAt) return run;
      const dueAt = run.dueAt ?? work.now + action.ms;
      if (run.dueAt === null)
        addStep(work, run, action, { what: say("wait", { time: new Date(dueAt).toISOString() }) });
      if (work.now < dueAt) return { ...run, dueAt, done: printOf(actions.slice(0, run.next + 1)) };
    } else perform(work, run, action);
    run = { ...run, next: run.next + 1, dueAt: null };
  }
  return undefined;
}

function addStep(
  work: RuleWork,
  run: Run,
  { place }: Action,
  given: { readonly what: string; readonly key?: string },
): void {
  const { what, key } = given;
  work.trace.push({ kind: "step", id: run.id, step: { place, at: work.now, key, what, result: undefined } });
}

function perform(work: RuleWork, run: Run, action: Exclude<Action, { readonly kind: "wait" }>): void {
  if (action.kind === "claim") hold(work, run, action);
  else once(work, run, action);
}

type OnceAction = Exclude<Action, { readonly kind: "wait" | "claim" }>;

/** Commands, messages and variables are by edge: once for each run. */
function once(work: RuleWork, run: Run, action: OnceAction): void {
  const { causes } = run;
  const key = keyOf(run.id, run.next);
  const { what, target } = describe(action);
  const content = run.isCareful ? undefined : contentOf(work, action);
  if (content === undefined) {
    addStep(work, run, action, { what: say(run.isCareful ? "not_repeated" : "unknown_value", { step: what }) });
  } else if (takesTurn(work, target)) {
    addStep(work, run, action, { what, key });
    work.effects.push({ key, causes, ...content });
  } else {
    const message = `${target}: more than ${MOST_PER_MINUTE} in a minute`;
    addStep(work, run, action, { what: say("left_out", { target, count: MOST_PER_MINUTE }) });
    work.effects.push({ key, causes, kind: "report", problem: "rate_limit", message });
  }
}

/** Undefined: a value that it needs is unknown. */
function contentOf(work: RuleWork, action: OnceAction) {
  if (action.kind === "notify") {
    const { place: _, values, text, ...content } = action;
    return { ...content, text: filled(work, text, values) };
  }
  if (action.kind === "execute") {
    const { place: _, ...content } = action;
    return content;
  }
  const value = typeof action.value === "object" ? amountOf(work.world, action.value) : action.value;
  return value === undefined ? undefined : { kind: "set" as const, variable: action.variable, value };
}

type NotifyAction = Extract<Action, { readonly kind: "notify" }>;

/** A message is sent also if nobody knows a value of it: it says so. */
function filled({ world }: RuleWork, text: string, values: NotifyAction["values"]): string {
  return values.reduce(
    (said, [name, value]) => said.replaceAll(`{${name}}`, () => rounded(amountOf(world, value))),
    text,
  );
}

function rounded(value: number | undefined): string {
  if (value === undefined) return "(unknown)";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

function describe(action: OnceAction): { what: string; target: string } {
  if (action.kind === "execute") {
    const target = `${action.command} of ${action.device}`;
    return { what: say("execute", { command: action.command, device: action.device }), target };
  }
  if (action.kind === "notify") return { what: say("notify", { message: action.text }), target: "messages" };
  return { what: say("set", { variable: action.variable }), target: `variable ${action.variable}` };
}

/** Of one rule there is one claim of a kind on a control. */
function hold(work: RuleWork, run: Run, action: Extract<Action, { kind: "claim" }>): void {
  const { device, control, claim, holdMs } = action;
  addStep(work, run, action, { what: say("claim", { control, device }), key: keyOf(run.id, run.next) });
  const isSame = (other: { device: string; control: string; claim: string }) =>
    other.device === device && other.control === control && other.claim === claim;
  work.claims = work.claims.filter((other) => !isSame(other));
  work.claims.push({
    runId: run.id,
    branch: run.branch,
    action: run.next,
    print: printOf(action),
    device,
    control,
    claim,
    until: holdMs === undefined ? null : work.now + holdMs,
    sentAt: null,
    sent: null,
    causes: run.causes,
  });
}
