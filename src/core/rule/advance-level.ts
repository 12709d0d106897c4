// Whether a rule is on. Unknown is never false: it ends nothing, starts nothing and arms nothing again. It only does not count for
// `for`.
import type { DeclarativeRule } from "./rule.ts";
import type { RuleState } from "./rule-state.ts";
import { allOf, type Truth } from "./truth.ts";

export type Level = Pick<RuleState, "isOn" | "since" | "trueSince" | "pausedAt">;
type Times = Pick<DeclarativeRule, "forMs" | "minOnMs" | "minOffMs">;

export interface Said {
  readonly when: Truth;
  readonly if: Truth;
}

export function advanceLevel(times: Times, before: Level, { said, now }: { said: Said; now: number }): Level {
  const { trueSince, pausedAt } = advanceFor(before, said.when, now);
  const { isOn, since } = before;
  const level = { isOn, since, trueSince, pausedAt };
  if (isOn) {
    const isOver = since === null || now - since >= times.minOnMs;
    return isOver && allOf([said.when, said.if]) === false ? { ...level, isOn: false, since: now } : level;
  }
  const isLongEnough = said.when === true && trueSince !== null && now - trueSince >= times.forMs;
  const isAllowed = since === null || now - since >= times.minOffMs;
  return isLongEnough && said.if === true && isAllowed ? { ...level, isOn: true, since: now } : level;
}

export type Held = Pick<Level, "trueSince" | "pausedAt">;

export function advanceFor(before: Held, when: Truth, now: number): Held {
  const { trueSince, pausedAt } = before;
  if (when === false) return { trueSince: null, pausedAt: null };
  if (when === undefined) return { trueSince, pausedAt: trueSince === null ? null : (pausedAt ?? now) };
  if (trueSince === null) return { trueSince: now, pausedAt: null };
  return { trueSince: pausedAt === null ? trueSince : trueSince + Math.max(now - pausedAt, 0), pausedAt: null };
}

/** Claims are renewed while all is known to be true, and during the minimum time whatever is known. */
export function isAsserting(times: Times, { isOn, since }: Level, { said, now }: { said: Said; now: number }): boolean {
  if (!isOn) return false;
  return allOf([said.when, said.if]) === true || (since !== null && now - since < times.minOnMs);
}

/** The same for claims of `else`: while all is known and the rule is off, and during the minimum time. */
export function isAssertingOff(
  times: Times,
  { isOn, since }: Level,
  { said, now }: { said: Said; now: number },
): boolean {
  if (isOn) return false;
  return allOf([said.when, said.if]) !== undefined || (since !== null && now - since < times.minOffMs);
}

/** When the level may change although nothing else does. */
export function levelDue(times: Times, level: Level, now: number): readonly number[] {
  const due: number[] = [];
  if (level.isOn && level.since !== null) due.push(level.since + times.minOnMs);
  if (!level.isOn && level.trueSince !== null && level.pausedAt === null) due.push(level.trueSince + times.forMs);
  if (!level.isOn && level.since !== null) due.push(level.since + times.minOffMs);
  return due.filter((at) => at > now);
}
