// Limits of the grid operator: a heartbeat and limits, from a contact or from a program that claims. It starts in failsafe. A
// heartbeat that is lost leads to failsafe, and only a heartbeat and a limit that follows it lead out. It never becomes unlimited
// by itself, unless the document says that it does after the failsafe's time, and then it is said aloud.

import type { GridSignalInterlock } from "./interlock.ts";
import { fixedLimits, type Inputs, type InterlockState, measure, type Outcome, sinceOf } from "./outcome.ts";
import type { Resolved } from "./resolve-interlock.ts";

export interface GridMemory {
  readonly kind: "grid";
  readonly state: InterlockState;
  readonly since: number;
  /** What was heard last time. */
  readonly signs: readonly string[];
  readonly limitSigns: readonly string[];
  /** Undefined: none came since the start. */
  readonly heartbeatAt: number | undefined;
  readonly limitAt: number | undefined;
  /** The heartbeat that ended the silence. */
  readonly regainedAt: number | undefined;
  /** It is from before a start: what is heard first may be old. */
  readonly isRecalled: boolean;
}

/** What was heard at a moment. */
export interface Heard {
  /** One that was not there last time is a sign of life. One that is gone says nothing. */
  readonly signs: readonly string[];
  /** One that was not there last time is a limit. */
  readonly limitSigns: readonly string[];
  /** Undefined: nothing says whether it limits. */
  readonly isLimited: boolean | undefined;
}

type Times = Pick<GridSignalInterlock, "heartbeatMs" | "failsafeMs" | "afterFailsafe">;

/** What is there at the start may be old: it is no sign of life. */
export function startGridSignal({ signs, limitSigns }: Heard, now: number): GridMemory {
  const nothing = { heartbeatAt: undefined, limitAt: undefined, regainedAt: undefined };
  return { kind: "grid", state: "init", since: now, signs, limitSigns, ...nothing, isRecalled: false };
}

export function stepGridSignal(
  times: Times,
  given: GridMemory,
  { heard, now, heardAt = now }: { heard: Heard; now: number; heardAt?: number },
): GridMemory {
  const before = atMost(given, now);
  const latest = (at: number | undefined) => Math.max(at ?? heardAt, heardAt);
  const heartbeatAt = hasNew(before.signs, heard.signs) ? latest(before.heartbeatAt) : before.heartbeatAt;
  const isLost = heartbeatAt === undefined || now - heartbeatAt >= times.heartbeatMs;
  // Also if nobody looked while it was silent.
  const wasLost = before.heartbeatAt !== undefined && now - before.heartbeatAt >= times.heartbeatMs;
  const regainedAt = isLost ? undefined : wasLost ? now : (before.regainedAt ?? now);
  const limitAt = hasNew(before.limitSigns, heard.limitSigns) ? latest(before.limitAt) : before.limitAt;
  const follows = limitAt !== undefined && regainedAt !== undefined && limitAt >= regainedAt;
  const state =
    follows && heard.isLimited !== undefined
      ? heard.isLimited
        ? "limited"
        : "unlimited"
      : silentState(times, before, { isLost, now });
  const { signs, limitSigns } = heard;
  return {
    kind: "grid",
    state,
    since: sinceOf(before, state, now),
    signs,
    limitSigns,
    heartbeatAt,
    limitAt,
    regainedAt,
    isRecalled: false,
  };
}

const hasNew = (before: readonly string[], now: readonly string[]): boolean =>
  now.some((sign) => !before.includes(sign));

/** No limit of a living source is known. */
function silentState(
  { heartbeatMs, failsafeMs, afterFailsafe }: Times,
  { state, since }: GridMemory,
  { isLost, now }: { isLost: boolean; now: number },
): InterlockState {
  if (state === "init" && now - since < heartbeatMs) return "init";
  if (state === "autonomous" && isLost) return "autonomous";
  const isOver = state === "failsafe" && now - since >= failsafeMs;
  return isOver && isLost && afterFailsafe === "release" ? "autonomous" : "failsafe";
}

/** A clock that was set back must not keep a heartbeat alive for longer. */
function atMost(memory: GridMemory, now: number): GridMemory {
  const { since, heartbeatAt, regainedAt, limitAt } = memory;
  const least = (at: number | undefined) => (at === undefined ? undefined : Math.min(at, now));
  return {
    ...memory,
    since: Math.min(since, now),
    heartbeatAt: least(heartbeatAt),
    regainedAt: least(regainedAt),
    limitAt: least(limitAt),
  };
}

type ResolvedSignal = Extract<Resolved, { readonly kind: "grid_signal" }>;

export function evaluateGridSignal(
  resolved: ResolvedSignal,
  before: GridMemory | undefined,
  inputs: Inputs,
): { readonly outcome: Outcome; readonly memory: GridMemory } {
  const { interlock, source } = resolved;
  const { now } = inputs;
  const measured = measure(source, interlock.heartbeatMs, inputs);
  const heard =
    interlock.from === "claims" ? hearClaims(resolved, inputs) : hearContact(interlock.from, resolved, inputs);
  const last = before ?? startGridSignal(heard, now);
  // What a contact said before a start counts from the time at which it said it.
  const heardAt = last.isRecalled && interlock.from !== "claims" ? Math.min(measured?.at ?? now, now) : now;
  const memory = stepGridSignal(interlock, last, { heard, now, heardAt });
  const isFailsafe = memory.state === "init" || memory.state === "failsafe";
  const limits = isFailsafe ? resolved.failsafe : memory.state === "limited" ? resolved.limits : [];
  return {
    outcome: {
      state: memory.state,
      since: memory.since,
      why: WORDS[memory.state] ?? "",
      limits: limits.flatMap(fixedLimits),
      measured: measured === undefined ? [] : [measured],
    },
    memory,
  };
}

const WORDS: Readonly<Partial<Record<InterlockState, string>>> = {
  init: "it has just started, and nothing was heard of the grid operator yet",
  failsafe: "nothing is heard of the grid operator, or no limit followed",
  limited: "the grid operator limits",
  unlimited: "the grid operator does not limit",
  autonomous: "nothing is heard of the grid operator, and the time of the failsafe has passed",
};

function hearContact(from: { readonly active: boolean }, { source }: ResolvedSignal, { reading }: Inputs): Heard {
  const found = source && reading(source.deviceId, source.attribute);
  const isKnown = typeof found?.value === "boolean";
  // A contact says with each sample that it lives and what it wants.
  const signs = isKnown ? [String(found.at)] : [];
  return { signs, limitSigns: signs, isLimited: isKnown ? found.value === from.active : undefined };
}

/** A claim that is made or renewed is a sign of life. One with a number or "unlimited" is also a limit. */
function hearClaims({ failsafe }: ResolvedSignal, { gridClaims }: Inputs): Heard {
  const claims = failsafe.flatMap(({ deviceId, control }) => gridClaims(deviceId, control.id));
  const limits = claims.filter(({ value }) => value !== null);
  return {
    signs: claims.map(({ id, leaseUntil, value }) => `${id} ${leaseUntil} ${value}`),
    limitSigns: limits.map(({ id, value }) => `${id} ${value}`),
    isLimited: limits.length === 0 ? undefined : limits.some(({ value }) => typeof value === "number"),
  };
}
