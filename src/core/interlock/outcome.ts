// What an interlock demands at a moment, and what it is calculated from.
import type { Claim } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";
import type { ResolvedLimit, Source } from "./resolve-interlock.ts";

/**
 * `idle`: nothing is limited now. `holding`: somebody wants more than is allowed, or the condition is true. `waiting`: the first
 * measurement after a start has not come yet. `blind`: a measurement is missing. `damaged`: its document cannot be read. The others are those of a grid signal; in `init` and `failsafe` its failsafe
 * values count.
 */
export const INTERLOCK_STATES = [
  "idle",
  "holding",
  "waiting",
  "blind",
  "damaged",
  "init",
  "failsafe",
  "limited",
  "unlimited",
  "autonomous",
] as const;
export type InterlockState = (typeof INTERLOCK_STATES)[number];

export interface Limit {
  readonly deviceId: string;
  readonly control: Control;
  readonly kind: "min" | "max";
  readonly value: number;
  /** It changes what the device does or what somebody wants. Others only say how far one may go. */
  readonly isHolding: boolean;
  /** Nothing is known yet: nobody may go beyond it, and a device that nobody controls is left alone. */
  readonly isWaiting?: true;
}

export interface Measured {
  readonly source: Source;
  /** Undefined: missing or too old. */
  readonly value: number | string | boolean | undefined;
  readonly at: number | undefined;
}

export interface Outcome {
  readonly state: InterlockState;
  /** Since when it is in this state. */
  readonly since: number;
  /** In words for people, without measured values: not everybody may read them. */
  readonly why: string;
  readonly limits: readonly Limit[];
  readonly measured: readonly Measured[];
}

export interface Inputs {
  readonly now: number;
  readonly reading: (deviceId: string, attribute: string) => Reading | undefined;
  readonly loading: (deviceId: string, control: Control) => Loading;
  /** When this device, or Busbar itself, has begun, if that was a moment ago: measurements may still be on their way. */
  readonly begunAt: (deviceId: string) => number | undefined;
  /** Claims of class grid that hold. */
  readonly gridClaims: (deviceId: string, control: string) => readonly Claim[];
}

export interface Reading {
  readonly value: unknown;
  readonly at: number;
}

/** How a control stands, in its unit. */
export interface Loading {
  /** What it measures, or was last told. Undefined: nobody knows. */
  readonly current: number | undefined;
  /** What claims want of it. Undefined: nobody wants anything. */
  readonly wanted: number | undefined;
}

/** A clock that differs by this much still fits. What is further in the future is unknown. */
export const CLOCK_MS = 5_000;

/** The latest value, converted; undefined when it is missing, too old or from the future. */
export function measure(
  source: Source | undefined,
  staleMs: number,
  { now, reading }: Pick<Inputs, "now" | "reading">,
): Measured | undefined {
  if (source === undefined) return undefined;
  const found = reading(source.deviceId, source.attribute);
  if (found === undefined) return { source, value: undefined, at: undefined };
  const isKnown = found.at <= now + CLOCK_MS && now - found.at < staleMs;
  return { source, value: isKnown ? converted(source, found.value) : undefined, at: found.at };
}

function converted({ conversion }: Source, value: unknown): number | string | boolean | undefined {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number((value * conversion.factor + conversion.offset).toPrecision(15));
}

export const numberOf = (measured: Measured | undefined): number | undefined =>
  typeof measured?.value === "number" ? measured.value : undefined;

/** Since when: as long as the state is the same. A clock that was set back does not make it younger than now. */
export function sinceOf(
  before: { readonly state: InterlockState; readonly since: number } | undefined,
  state: InterlockState,
  now: number,
): number {
  return before?.state === state ? Math.min(before.since, now) : now;
}

/** How long after a start, or after a device was created, its first measurement may take. */
export const FIRST_VALUE_MS = 60_000;

/**
 * Since when an interlock waits for the first measurements; undefined: it does not wait. One that held or was blind before, which it
 * remembers, goes on with that.
 */
export function waitingSince(
  sources: readonly (Source | undefined)[],
  before: { readonly state: InterlockState } | undefined,
  given: Pick<Inputs, "now" | "reading" | "begunAt"> & { readonly staleMs: number },
): number | undefined {
  if (before !== undefined && before.state !== "idle") return undefined;
  let since: number | undefined;
  for (const source of sources) {
    const measured = measure(source, given.staleMs, given);
    if (source === undefined || measured === undefined) return undefined;
    if (measured.value !== undefined) continue;
    const begunAt = given.begunAt(source.deviceId);
    // What has come since then is no first value any more.
    if (begunAt === undefined || (measured.at !== undefined && measured.at >= begunAt)) return undefined;
    since = Math.max(since ?? begunAt, begunAt);
  }
  return since;
}

/** Of an interlock that waits. */
export const waiting = ({ isHolding: _, ...limit }: Limit): Limit => ({ ...limit, isHolding: false, isWaiting: true });

/** A limit that holds in full. */
export function fixedLimits({ deviceId, control, min, max }: ResolvedLimit): readonly Limit[] {
  const limit = (kind: "min" | "max", value: number | undefined) =>
    value === undefined ? [] : [{ deviceId, control, kind, value, isHolding: true }];
  return [...limit("min", min), ...limit("max", max)];
}
