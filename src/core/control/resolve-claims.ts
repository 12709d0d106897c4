import { CLAIM_CLASSES, type Claim, compareAge, FOREVER, holds, rankOf } from "./claim.ts";
import type { Control } from "./control.ts";
import type { SafeSide } from "./declared-control.ts";

/** What counts now, and why. */
export interface Resolution {
  /** Undefined: nobody says anything, so the fallback counts. */
  readonly value: number | undefined;
  /** The claim whose target counts. Undefined with a value: only limits are claimed. */
  readonly winner: Claim | undefined;
  readonly bounds: Bounds;
  /** Claims that hold and do not count: outranked targets, and limits that are wider than others or of a lower class. */
  readonly losers: readonly Claim[];
  /** Whether limits of one class exclude each other. The safe side of the control was taken. */
  readonly isContradicted: boolean;
  /** When the next claim ends; the resolution is the same until then, unless claims change. */
  readonly until: number | undefined;
}

/** The range of values that are allowed now. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Undefined: the range of the control. */
  readonly minBy: Claim | undefined;
  readonly maxBy: Claim | undefined;
}

type Limits = Pick<Control, "min" | "max" | "safe" | "step" | "fallback">;

/**
 * Targets: the best class wins, in one class the oldest. Limits: those of a better class come first, and those of the next class
 * only narrow what is left. Limits of a lower class than the winner's do not bind it: a rule does not limit a person.
 */
export function resolveClaims(control: Limits, claims: readonly Claim[], now: number): Resolution {
  const active = claims.filter((claim) => holds(claim, now) && claim.value !== null);
  const winner = winnerOf(active);
  const lowest = winner === undefined ? CLAIM_CLASSES.length - 1 : rankOf(winner);
  const { isContradicted, ...bounds } = boundsOf(control, active, lowest);
  const isBound = bounds.minBy !== undefined || bounds.maxBy !== undefined;
  const wanted = typeof winner?.value === "number" ? winner.value : isBound ? unclaimedValue(control) : undefined;
  const used = new Set([winner, bounds.minBy, bounds.maxBy]);
  return {
    value: wanted === undefined ? undefined : inSteps(control, bounds, clamp(wanted, bounds)),
    winner,
    bounds,
    losers: active.filter((claim) => !used.has(claim)),
    isContradicted,
    until: earliest(claims, now),
  };
}

function winnerOf(active: readonly Claim[]): Claim | undefined {
  let winner: Claim | undefined;
  for (const claim of active) {
    if (claim.kind !== "target" || typeof claim.value !== "number") continue;
    const difference = winner === undefined ? -1 : rankOf(claim) - rankOf(winner);
    if (winner === undefined || difference < 0 || (difference === 0 && compareAge(claim, winner) < 0)) winner = claim;
  }
  return winner;
}

/** Class by class: each narrows what the better ones left. */
function boundsOf(control: Limits, active: readonly Claim[], lowest: number) {
  let bounds: Bounds = { min: control.min, max: control.max, minBy: undefined, maxBy: undefined };
  let isContradicted = false;
  for (let rank = 0; rank <= lowest; rank += 1) {
    const ofClass = active.filter((claim) => rankOf(claim) === rank);
    const minBy = narrowest(ofClass, "min");
    const maxBy = narrowest(ofClass, "max");
    const [min, max] = [minBy?.value ?? -Infinity, maxBy?.value ?? Infinity];
    if (min > max) {
      isContradicted = true;
      const value = clamp(safeValue(control.safe, max, min), bounds);
      bounds = { min: value, max: value, minBy: minBy?.claim, maxBy: maxBy?.claim };
    } else bounds = narrowed(bounds, { min, minBy: minBy?.claim, max, maxBy: maxBy?.claim });
  }
  return { ...bounds, isContradicted };
}

/** A limit outside what better classes allow moves to their edge. */
function narrowed(outer: Bounds, inner: Bounds): Bounds {
  const isHigher = inner.min > outer.min;
  const isLower = inner.max < outer.max;
  return {
    min: isHigher ? Math.min(inner.min, outer.max) : outer.min,
    minBy: isHigher ? inner.minBy : outer.minBy,
    max: isLower ? Math.max(inner.max, outer.min) : outer.max,
    maxBy: isLower ? inner.maxBy : outer.maxBy,
  };
}

/** The most restrictive limit of a kind; of equal ones the oldest. */
function narrowest(claims: readonly Claim[], kind: "min" | "max") {
  let found: { readonly claim: Claim; readonly value: number } | undefined;
  for (const claim of claims) {
    if (claim.kind !== kind || typeof claim.value !== "number") continue;
    const { value } = claim;
    const difference = found === undefined ? -1 : kind === "min" ? found.value - value : value - found.value;
    const isOlder = found !== undefined && difference === 0 && compareAge(claim, found.claim) < 0;
    if (found === undefined || difference < 0 || isOlder) found = { claim, value };
  }
  return found;
}

/**
 * What counts when limits are claimed and no target is: the value of the fallback. A command such as "run by yourself" has none and
 * would not keep the limits, so the safe value counts instead.
 */
function unclaimedValue({ fallback, safe, min, max }: Limits): number {
  if (fallback?.value !== undefined) return fallback.value;
  const value = safeValue(safe, min, max);
  return Number.isFinite(value) ? value : 0;
}

/** Zero where the range has it, else the end that is nearer to it. */
function safeValue(safe: SafeSide, low: number, high: number): number {
  if (safe === "min") return low;
  if (safe === "max") return high;
  return clamp(0, { min: low, max: high });
}

export function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(Math.max(value, min), max);
}

/** The nearest multiple of the step that is allowed, if there is one. */
function inSteps({ step }: Limits, bounds: Bounds, value: number): number {
  if (step === undefined) return value;
  const tidy = (steps: number) => Number((steps * step).toPrecision(15));
  const near = Math.round(value / step);
  const found = [near, near - 1, near + 1].map(tidy).find((one) => one >= bounds.min && one <= bounds.max);
  return found ?? value;
}

function earliest(claims: readonly Claim[], now: number): number | undefined {
  const ends = claims
    .filter((claim) => holds(claim, now) && claim.leaseUntil < FOREVER)
    .map(({ leaseUntil }) => leaseUntil);
  return ends.length === 0 ? undefined : Math.min(...ends);
}
