// The machine of declarative rules: one step, at any moment, from what the rule remembers and what it sees to what it wants to be
// done. Steps of one rule come one after the other. It has no clock and waits for nothing: `nextDue` says when it has to be asked
// again if nothing that it reads changes before.
import { judgeDue } from "#core/schedule/schedule.ts";
import { advanceLevel, isAsserting, isAssertingOff, type Level, levelDue, type Said } from "./advance-level.ts";
import { advanceRuns, beginRun, runIdOf } from "./advance-runs.ts";
import { assertClaims } from "./assert-claims.ts";
import { type Evidence, evaluateRuleCondition } from "./evaluate-rule-condition.ts";
import { fitClock, fitEdits } from "./fit-rule-state.ts";
import { nextOf } from "./local-times.ts";
import { replayGap } from "./replay-gap.ts";
import type { Branch, DeclarativeRule, Moment, ScheduledMoment } from "./rule.ts";
import type { RuleEffect } from "./rule-effect.ts";
import { printOf } from "./rule-print.ts";
import { ruleReads } from "./rule-reads.ts";
import type { RuleState } from "./rule-state.ts";
import type { TraceUpdate } from "./rule-trace.ts";
import { beginTrace, openWork, type RuleWork } from "./rule-work.ts";
import type { RuleHistory, RuleWorld } from "./rule-world.ts";
import { say } from "./run-phrases.ts";
import { allOf, type Truth } from "./truth.ts";

export interface NamedRule {
  readonly id: string;
  readonly rule: DeclarativeRule;
}

export type RuleEvent =
  /** Something that the rule reads has changed, or a time is due. */
  | { readonly kind: "tick" }
  /** The rule begins, goes on after a pause of any length, or was changed. */
  | { readonly kind: "start"; readonly history: RuleHistory | undefined }
  | {
      readonly kind: "ended";
      readonly executionId: string;
      /** Id and slug. */
      readonly device: readonly string[];
      readonly command: string;
      readonly isSuccess: boolean;
      readonly causes: readonly string[];
    };

export interface RuleStep {
  readonly state: RuleState;
  readonly effects: readonly RuleEffect[];
  readonly trace: readonly TraceUpdate[];
  /** Undefined: only a change can make it do something. */
  readonly nextDue: number | undefined;
}

export function stepRule(
  { id, rule }: NamedRule,
  given: RuleState,
  { world, event }: { readonly world: RuleWorld; readonly event: RuleEvent },
): RuleStep {
  const { now } = world;
  const isStart = event.kind === "start";
  const work = openWork({ id, rule, world }, given);
  let state = fitClock(work, given);
  let wasFalse = false;
  if (isStart) {
    const known = replay(rule, state, { world, history: event.history });
    state = fitEdits(work, { ...state, ...known.state });
    wasFalse = known.wasFalse;
  }
  const memory = new Map(state.memory);
  const when = evaluateRuleCondition(rule.level, memory, world);
  const also = evaluateRuleCondition(rule.condition, memory, world);
  const said: Said = { when: rule.level === undefined ? false : when.truth, if: also.truth };
  work.evidence = rule.level === undefined ? also.evidence : [...when.evidence, ...also.evidence];
  const level = turn(work, state, { said, wasFalse });
  holdWhileOff(work, level, said);
  const due = startMoments(work, state, { event, if: also });
  advanceRuns(work);
  const asserting = {
    isOn: level.isOn,
    isAsserting: { on: isAsserting(rule, level, { said, now }), off: isAssertingOff(rule, level, { said, now }) },
    isStart,
  };
  const claimsDue = assertClaims(work, asserting);
  const next = [
    ...levelDue(rule, level, now),
    ...work.runs.map(({ dueAt }) => dueAt ?? now),
    ...due.map(([, at]) => at ?? Number.POSITIVE_INFINITY),
    ...claimsDue,
    ...(rule.level === undefined ? [] : [when.until, also.until]),
    ...calendarsOf(rule).map((name) => world.calendar(name, now)?.until ?? Number.POSITIVE_INFINITY),
  ];
  return {
    state: {
      version: 1,
      seenAt: now,
      ...level,
      // What is known to be false becomes true for the first time afterwards.
      isCareful: state.isCareful && !level.isOn && allOf([said.when, said.if]) !== false,
      memory: [...when.memory, ...also.memory],
      due,
      runs: work.runs,
      queue: work.queue,
      claims: work.claims,
      sent: [...work.sent],
      prints: { level: printOf(rule.level ?? NO_LEVEL), actions: printOf(rule.thenActions) },
    },
    effects: work.effects,
    trace: work.trace,
    nextDue: earliest(next, now),
  };
}

const known = new WeakMap<DeclarativeRule, readonly string[]>();

function calendarsOf(rule: DeclarativeRule): readonly string[] {
  const before = known.get(rule);
  if (before !== undefined) return before;
  const { calendars } = ruleReads(rule);
  known.set(rule, calendars);
  return calendars;
}

const NO_LEVEL = {};

/** Never now, so that nobody goes round in circles. */
function earliest(times: readonly number[], now: number): number | undefined {
  const least = Math.min(...times);
  return Number.isFinite(least) ? Math.max(Math.ceil(least), now + 1) : undefined;
}

/** What stored telemetry says about the time since the last step, or about the time of `for` if the conditions are new. */
function replay(
  rule: DeclarativeRule,
  state: RuleState,
  { world, history }: { readonly world: RuleWorld; readonly history: RuleHistory | undefined },
): { readonly state: Partial<RuleState>; readonly wasFalse: boolean } {
  const isNew = state.prints.level !== printOf(rule.level ?? NO_LEVEL);
  const memory = new Map(state.memory);
  const held = isNew ? { trueSince: null, pausedAt: null } : state;
  const from = isNew || state.seenAt === null ? world.now - rule.forMs : state.seenAt;
  if (rule.level === undefined || from >= world.now) return { state: { ...pick(held) }, wasFalse: false };
  if (history === undefined) {
    const pausedAt = held.trueSince === null ? null : (held.pausedAt ?? from);
    return { state: { trueSince: held.trueSince, pausedAt }, wasFalse: false };
  }
  const onUntil = state.since === null ? from : state.since + rule.minOnMs;
  const found = replayGap(rule, { ...pick(held), memory }, { from, onUntil, world, history });
  return { state: { ...pick(found), memory: [...found.memory] }, wasFalse: found.wasFalse && !isNew };
}

const pick = ({ trueSince, pausedAt }: Pick<Level, "trueSince" | "pausedAt">) => ({ trueSince, pausedAt });

/** Turns the rule on or off, and starts `then` or `else`. */
function turn(
  work: RuleWork,
  state: RuleState,
  { said, wasFalse }: { readonly said: Said; readonly wasFalse: boolean },
): Level {
  const { rule, now } = work;
  const { isOn, since, trueSince, pausedAt } = state;
  const before: Level = { isOn, since, trueSince, pausedAt };
  const causes = causesOf(work.evidence);
  const begin = (branch: Branch, why: string) =>
    beginRun(work, {
      trigger: "/when",
      at: now,
      branch,
      isLevel: true,
      isCareful: branch === "then" && state.isCareful,
      why,
      causes,
    });
  // Between the last step and now it was false, and the rule was not there to see it.
  const isMissed = wasFalse && isOn && now - (since ?? 0) >= rule.minOnMs;
  const seen: Level = isMissed ? { ...before, isOn: false, since: now } : before;
  if (isMissed) begin("else", say("missed_false"));
  const level = advanceLevel(rule, seen, { said, now });
  if (level.isOn === seen.isOn) return level;
  if (level.isOn) begin("then", say(state.isCareful ? "true_again" : "became_true"));
  else begin("else", say("became_false"));
  return level;
}

/** What `else` claims while the rule is off is claimed as soon as it is known to be off: it need not have been on before. */
function holdWhileOff(work: RuleWork, { isOn }: Level, said: Said): void {
  const { rule, now } = work;
  if (isOn || rule.level === undefined || allOf([said.when, said.if]) === undefined) return;
  if (!rule.elseActions.some((action) => action.kind === "claim" && action.holdMs === undefined)) return;
  const isHeld = work.claims.some(({ branch, until }) => branch === "else" && until === null);
  const isUnderWay = work.runs.some(({ branch, isLevel }) => branch === "else" && isLevel);
  if (isHeld || isUnderWay) return;
  const start = { trigger: "/when", at: now, branch: "else", isLevel: true, isCareful: true } as const;
  beginRun(work, { ...start, why: say("is_off"), causes: causesOf(work.evidence) });
}

/** The longest chain: the others are shorter ways to the same. */
function causesOf(evidence: readonly Evidence[]): readonly string[] {
  return evidence.reduce<readonly string[]>((most, { causes }) => (causes.length > most.length ? causes : most), []);
}

interface MomentInput {
  readonly event: RuleEvent;
  readonly if: { readonly truth: Truth; readonly evidence: readonly Evidence[] };
}

/** Gives the next times of the scheduled ones. */
function startMoments(work: RuleWork, state: RuleState, input: MomentInput): RuleState["due"] {
  const stored = new Map(state.due);
  const next = new Map<string, number | null>();
  for (const moment of work.rule.moments) {
    if (moment.kind === "ended") {
      if (input.event.kind === "ended" && isMeant(moment, input.event))
        startMoment(work, { moment, at: work.now, mark: input.event.executionId, causes: input.event.causes }, input);
      continue;
    }
    const print = printOf(moment);
    if (next.has(print)) continue;
    next.set(print, startScheduled(work, moment, { nextAt: stored.get(print), input }) ?? null);
  }
  return [...next];
}

function isMeant(
  { device, command, end }: Extract<Moment, { kind: "ended" }>,
  event: Extract<RuleEvent, { kind: "ended" }>,
): boolean {
  const isEnd = end === "any" || (end === "success") === event.isSuccess;
  return isEnd && event.device.includes(device) && (command === undefined || command === event.command);
}

function startScheduled(
  work: RuleWork,
  moment: ScheduledMoment,
  { nextAt, input }: { readonly nextAt: number | null | undefined; readonly input: MomentInput },
): number | undefined {
  const { now, rule, world } = work;
  const nextAfter = (after: number) => nextOf(moment, after, world);
  if (nextAt === null || nextAt === undefined) return nextAfter(now);
  if (nextAt > now) return nextAt;
  const { run, skipped, nextAt: next } = judgeDue({ nextAt, missed: rule.missed, lateMs: rule.lateMs }, nextAfter, now);
  const trigger = moment.place;
  if (skipped !== undefined) {
    const id = runIdOf(work, { trigger, at: skipped.dueAt, branch: "then", mark: "missed" });
    beginTrace(work, { id, trigger, branch: "then", causes: [], outcome: "skipped", why: skipped.reason });
  }
  if (run !== undefined) startMoment(work, { moment, at: run.dueAt, causes: [] }, input);
  return next;
}

interface Happened {
  readonly moment: Moment;
  readonly at: number;
  readonly causes: readonly string[];
  readonly mark?: string;
}

/** Why nothing happens at this time of a moment, if a calendar forbids it or nobody knows. */
function exceptionAt({ world }: RuleWork, moment: Moment, at: number) {
  const names = moment.kind === "ended" ? [] : (moment.except ?? []);
  const states = names.map((name) => ({ name, isOn: world.calendar(name, at)?.isOn }));
  const forbids = states.find(({ isOn }) => isOn === true);
  if (forbids !== undefined) return { outcome: "skipped", why: say("calendar_on", { name: forbids.name }) } as const;
  const missing = states.find(({ isOn }) => isOn === undefined);
  return missing && ({ outcome: "unknown", why: say("calendar_unknown", { name: missing.name }) } as const);
}

function startMoment(work: RuleWork, { moment, ...happened }: Happened, { if: also }: MomentInput): void {
  const { truth, evidence } = also;
  work.evidence = evidence;
  const trigger = moment.place;
  const branch = truth === false ? "else" : "then";
  const causes = [causesOf(evidence), happened.causes].reduce((most, one) => (one.length > most.length ? one : most));
  const id = runIdOf(work, { ...happened, trigger, branch });
  const nothing = { id, trigger, branch, causes: [...causes, id] } as const;
  const except = exceptionAt(work, moment, happened.at);
  if (except !== undefined) {
    beginTrace(work, { ...nothing, ...except });
    return;
  }
  if (truth === undefined) {
    beginTrace(work, { ...nothing, outcome: "unknown", why: say("if_unknown") });
    return;
  }
  if (truth === false && work.rule.elseActions.length === 0) {
    beginTrace(work, { ...nothing, outcome: "not_met", why: say("if_false") });
    return;
  }
  const why = say(truth ? "time_came" : "time_came_else");
  beginRun(work, { ...happened, trigger, branch, isLevel: false, isCareful: false, why, causes });
}
