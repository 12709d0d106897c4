// A stored state meets a clock that was set back, or a rule that was edited. Whatever is still the same goes on.
import { DAY_MS } from "#core/time/hour.ts";
import { beginRun, endRun } from "./advance-runs.ts";
import { isOutOf, releaseClaim } from "./assert-claims.ts";
import { actionsOf } from "./rule.ts";
import { printOf } from "./rule-print.ts";
import type { HeldClaim, RuleState, Run } from "./rule-state.ts";
import { endTrace, type RuleWork } from "./rule-work.ts";
import { say } from "./run-phrases.ts";

/** After a clock was set back, nothing lasts longer than it would from now on. A set-back of less than a day repeats no moment. */
export function fitClock(work: RuleWork, state: RuleState): RuleState {
  const { now, rule } = work;
  const { seenAt } = state;
  if (seenAt === null || now >= seenAt) return state;
  const least = (at: number | null) => (at === null ? null : Math.min(at, now));
  work.runs = work.runs.map((run) => {
    const action = actionsOf(rule, run.branch)[run.next];
    if (run.dueAt === null || action?.kind !== "wait") return run;
    return { ...run, dueAt: Math.min(run.dueAt, now + action.ms) };
  });
  work.claims = work.claims.map((held) => {
    const action = actionsOf(rule, held.branch)[held.action];
    if (held.until === null || action?.kind !== "claim" || action.holdMs === undefined) return held;
    return { ...held, until: Math.min(held.until, now + action.holdMs) };
  });
  return {
    ...state,
    since: least(state.since),
    trueSince: least(state.trueSince),
    pausedAt: least(state.pausedAt),
    due: seenAt - now > DAY_MS ? [] : state.due,
  };
}

/** Runs and claims whose part of the text is the same go on. While a rule is on, it claims at once what its new text says. */
export function fitEdits(work: RuleWork, state: RuleState): RuleState {
  const { rule } = work;
  const changed = say("changed");
  const isSame = ({ branch, next, dueAt, done }: Run) =>
    printOf(actionsOf(rule, branch).slice(0, dueAt === null ? 0 : next + 1)) === done;
  for (const run of work.runs) if (!isSame(run)) endRun(work, run, changed);
  for (const run of work.queue) if (!isSame(run)) endTrace(work, run.id, changed);
  work.queue = work.queue.filter(isSame);
  const isOn = state.isOn && rule.level !== undefined;
  const kept: HeldClaim[] = [];
  const dropped: HeldClaim[] = [];
  for (const held of work.claims) {
    const action = actionsOf(rule, held.branch).findIndex((one) => one.kind === "claim" && printOf(one) === held.print);
    if (action < 0 || (held.until === null && isOutOf(held.branch, { isOn }))) dropped.push(held);
    else kept.push({ ...held, action });
  }
  work.claims = kept;
  for (const held of dropped) releaseClaim(work, held);
  const isNew = state.prints.actions !== "" && state.prints.actions !== printOf(rule.thenActions);
  if (isOn && isNew && !work.runs.some(({ isLevel }) => isLevel))
    beginRun(work, {
      trigger: "/when",
      at: work.now,
      branch: "then",
      isLevel: true,
      isCareful: true,
      why: changed,
      causes: [],
    });
  return { ...state, isOn };
}
