// How limits of interlocks join the claims on a control. Where somebody wants a value, they simply limit it. Where nobody does, the
// device is left alone as long as it keeps them: only one that does not, or that still has to be given back, is told a value.
import { type Claim, type ClaimClass, FOREVER, holds } from "#core/control/claim.ts";
import { type Control, valueOfArgument } from "#core/control/control.ts";
import type { ControlState } from "#core/control/control-writer.ts";
import { type Bounds, resolveClaims } from "#core/control/resolve-claims.ts";

/** A limit as a claim. */
export interface LimitClaim {
  readonly claim: Claim;
  readonly isHolding: boolean;
  /** Nothing is known yet. It limits claims, commands and what is owed, as one that holds; what nobody controls is left alone. */
  readonly isWaiting?: boolean;
}

interface Unlimited {
  readonly claims: readonly Claim[];
  readonly state: Pick<ControlState, "isHeld" | "sent">;
  /** What the device measures, or was last told. */
  readonly current: number | undefined;
  /** What it did when an interlock first told it something; undefined while none does. */
  readonly heldFrom: number | undefined;
}

interface Limited {
  /** All claims that count now. */
  readonly claims: readonly Claim[];
  readonly heldFrom: number | undefined;
}

export function applyLimits(
  control: Control,
  given: Unlimited,
  { limits, now }: { limits: readonly LimitClaim[]; now: number },
): Limited {
  const { claims, state, current, heldFrom } = given;
  const all = [...claims, ...limits.map(({ claim }) => claim)];
  const [first] = limits;
  if (first === undefined) return { claims, heldFrom: undefined };
  if (claims.some((claim) => holds(claim, now) && typeof claim.value === "number"))
    return { claims: all, heldFrom: undefined };
  const holding = limits.filter(({ isHolding }) => isHolding);
  const act = (value: number, from: number | undefined): Limited => ({
    claims: [...all, keeping(value, (holding[0] ?? first).claim)],
    heldFrom: from,
  });
  const none: Limited = { claims, heldFrom: undefined };
  const from = heldFrom ?? (state.isHeld ? undefined : current);
  if (holding.length > 0 && (from !== undefined || !state.isHeld)) {
    const safe = safeValue(control, limits, now);
    if (from === undefined) return act(safe, undefined);
    if (!isAllowed(control, holding, { value: from, now })) return act(from, from);
  }
  if (!state.isHeld) return none;
  // The fallback is owed.
  const fallback = fallbackValue(control);
  if (fallback !== undefined)
    return isAllowed(control, limits, { value: fallback, now }) ? none : act(fallback, undefined);
  if (holding.length === 0 && !limits.some(({ isWaiting }) => isWaiting)) return none;
  return act(state.sent ?? safeValue(control, limits, now), undefined);
}

/** The range that limits leave. A limit that the control cannot keep moves to the edge of its range. */
export function boundsOf(control: Control, limits: readonly LimitClaim[], now: number): Bounds {
  return resolveClaims(
    control,
    limits.map(({ claim }) => claim),
    now,
  ).bounds;
}

export function isAllowed(
  control: Control,
  limits: readonly LimitClaim[],
  { value, now }: { readonly value: number; readonly now: number },
): boolean {
  const { min, max, minBy, maxBy } = boundsOf(control, limits, now);
  const noise = 1e-9 * Math.max(Math.abs(value), 1);
  // The range of the control is no limit: a machine that is off, below its lowest value, must not be told to run.
  return (minBy === undefined || value >= min - noise) && (maxBy === undefined || value <= max + noise);
}

function safeValue(control: Control, limits: readonly LimitClaim[], now: number): number {
  const claims = limits.map(({ claim }) => claim);
  return resolveClaims(control, claims, now).value ?? Math.min(Math.max(0, control.min), control.max);
}

/** Undefined for a command that says nothing of the controlled argument, and where there is no fallback. */
function fallbackValue(control: Control): number | undefined {
  const { fallback } = control;
  if (fallback === undefined || fallback.kind === "value") return fallback?.value;
  if (fallback.command !== control.command) return undefined;
  return valueOfArgument(control, fallback.arguments.get(control.argument));
}

/** The wish that nobody has: what the device would do without the limit. */
const keeping = (value: number, limit: Claim): Claim => ({
  ...limit,
  id: `${limit.source}:unclaimed`,
  kind: "target",
  value,
  class: "default",
});

export function limitClaim(given: {
  readonly name: string;
  readonly class: ClaimClass;
  readonly reason: string;
  readonly deviceId: string;
  readonly control: string;
  readonly kind: "min" | "max";
  readonly value: number;
  readonly since: number;
}): Claim {
  const { name, since, ...claim } = given;
  return {
    ...claim,
    id: `interlock:${name}:${claim.kind}`,
    source: `interlock:${name}`,
    leaseUntil: FOREVER,
    createdAt: since,
    cause: undefined,
  };
}
