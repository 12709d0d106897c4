// Control is by level: what a rule claims is claimed again and again while the rule is on, also after somebody has ended the claim.
// What is unknown is not claimed again, so that its lease runs out.
import { amountOf } from "./evaluate-rule-condition.ts";
import { actionsOf, type Branch, type ClaimAction } from "./rule.ts";
import type { HeldClaim } from "./rule-state.ts";
import { keyOf } from "./rule-trace.ts";
import type { RuleWork } from "./rule-work.ts";

/** A lease is renewed when a third of it is over. */
const RENEWALS = 3;
/** A claimed value changes at most so often. */
const CHANGE_MS = 1_000;

interface Asserting {
  readonly isOn: boolean;
  /** Whether claims without a time are made again. */
  readonly isAsserting: Readonly<Record<"on" | "off", boolean>>;
  /** Nobody knows which claims are left after a start: all are made again. */
  readonly isStart: boolean;
}

/** The moments at which claims have to be looked at again. */
export function assertClaims(work: RuleWork, given: Asserting): readonly number[] {
  const due: number[] = [];
  const claims = work.claims;
  work.claims = [];
  for (const held of claims) {
    const action = actionsOf(work.rule, held.branch)[held.action];
    const isOver = held.until === null ? isOutOf(held.branch, given) : work.now >= held.until;
    if (action?.kind !== "claim" || isOver) {
      releaseClaim(work, held);
      continue;
    }
    const next = assertClaim(work, { held, action }, given);
    work.claims.push(next.held);
    due.push(...next.due);
    if (held.until !== null) due.push(held.until);
  }
  return due;
}

/** What `then` claims is held while the rule is on, and what `else` claims while it is off. */
export const isOutOf = (branch: Branch, { isOn }: Pick<Asserting, "isOn">): boolean => (branch === "then") !== isOn;

export function releaseClaim({ effects }: RuleWork, held: HeldClaim): void {
  const { runId, device, control, claim, causes } = held;
  if (held.sentAt === null) return;
  effects.push({ key: `${keyOf(runId, held.action)}:release`, causes, kind: "release", device, control, claim });
}

function assertClaim(
  work: RuleWork,
  { held, action }: { readonly held: HeldClaim; readonly action: ClaimAction },
  { isAsserting, isStart }: Asserting,
): { readonly held: HeldClaim; readonly due: readonly number[] } {
  const { now, world } = work;
  const value = action.value === "unlimited" ? action.value : amountOf(world, action.value);
  if (value === undefined || (held.until === null && !isAsserting[held.branch === "then" ? "on" : "off"]))
    return { held, due: [] };
  const renewMs = Math.floor(action.leaseMs / RENEWALS);
  const age = held.sentAt === null ? Number.POSITIVE_INFINITY : now - held.sentAt;
  const isChanged = value !== held.sent;
  const isDue = isStart || age < 0 || age >= renewMs || (isChanged && age >= CHANGE_MS);
  if (!isDue) return { held, due: [(held.sentAt ?? now) + (isChanged ? Math.min(CHANGE_MS, renewMs) : renewMs)] };
  const { runId, device, control, claim, causes, until } = held;
  work.effects.push({
    key: keyOf(runId, held.action),
    causes,
    kind: "claim",
    device,
    control,
    claim,
    value,
    leaseUntil: Math.min(now + action.leaseMs, until ?? Number.POSITIVE_INFINITY),
    reason: action.reason ?? work.rule.name ?? work.id,
  });
  return { held: { ...held, sentAt: now, sent: value }, due: [now + renewMs] };
}
