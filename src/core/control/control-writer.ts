// Decides when a controlled device is written to, and whether it follows. The state is stored before a write is sent, so a
// process that starts again knows what the device was told and whether it still owes the fallback.
import type { Control } from "./control.ts";
import { type Bounds, clamp } from "./resolve-claims.ts";

/** `settling`: it still has time. `unknown`: nothing measures it, or nothing was measured since. */
export const FOLLOWS = ["idle", "settling", "followed", "not_followed", "unknown"] as const;
export type Follow = (typeof FOLLOWS)[number];

export interface ControlState {
  /** Whether the device was told a value, so that the fallback is owed when nobody claims it any more. */
  readonly isHeld: boolean;
  /** Whether the command that prepares for values has succeeded. */
  readonly isPrepared: boolean;
  /** The value that the device was last told. */
  readonly sent: number | undefined;
  /** When the device was told a value or the fallback; the refresh counts from here. */
  readonly sentAt: number;
  /** Since when it has to follow `sent`. */
  readonly changedAt: number;
  /** A write whose end is not known yet. */
  readonly writing: Write | undefined;
  /** Writes that failed one after the other. */
  readonly failures: number;
  /** How often this value was written again because the device did not follow. */
  readonly tries: number;
  readonly follow: Follow;
  /** How often the device had time to follow and did not, since it last did. */
  readonly misses: number;
  /** The `changedAt` of the last miss. */
  readonly missedAt: number;
}

export type Write =
  | { readonly kind: "value"; readonly value: number; readonly withPrepare: boolean }
  | { readonly kind: "fallback" };

export const NEVER_WRITTEN: ControlState = {
  isHeld: false,
  isPrepared: false,
  sent: undefined,
  sentAt: 0,
  changedAt: 0,
  writing: undefined,
  failures: 0,
  tries: 0,
  follow: "idle",
  misses: 0,
  missedAt: 0,
};

/** What is known at a moment. */
export interface Situation {
  readonly now: number;
  /** That of the resolution; undefined: the fallback counts. */
  readonly value: number | undefined;
  readonly bounds: Pick<Bounds, "min" | "max">;
  /** The latest measurement, in the unit of the control. */
  readonly reading: { readonly value: number; readonly at: number } | undefined;
  /** Nothing is written to a device that is away: it would come too late. */
  readonly isReachable: boolean;
}

export interface Plan {
  readonly state: ControlState;
  /** To be sent once the state is stored. `writeEnded` wants its outcome. */
  readonly write: Write | undefined;
}

/** A value that has no effect is written again so often. After so many misses it is an alert. */
const MOST_TRIES = 3;
const LONGEST_PAUSE_MS = 60_000;
/** Devices say whole seconds. */
const DEVICE_CLOCK_MS = 1000;
/** An older measurement says nothing about now. */
const STALE_MS = 120_000;

export function planWrite(control: Control, given: ControlState, situation: Situation): Plan {
  const { now, value, isReachable } = situation;
  const state = judged(control, atMost(given, now), situation);
  if (state.writing !== undefined || !isReachable || now < pauseEnd(control, state)) return { state, write: undefined };
  if (value === undefined) return planFallback(control, state, now);
  const next = ramped(control, state, { ...situation, value });
  if (!isDue(control, state, { now, next })) return { state, write: undefined };
  const isChange = next !== state.sent;
  const isTry = !isChange && needsTry(control, state, now);
  return sending(state, now, {
    write: { kind: "value", value: next, withPrepare: control.prepare !== undefined && !state.isPrepared },
    isHeld: true,
    sent: next,
    changedAt: isChange || isTry ? now : state.changedAt,
    tries: isChange ? 0 : state.tries + (isTry ? 1 : 0),
    follow: isChange ? "settling" : state.follow,
  });
}

function sending(
  state: ControlState,
  now: number,
  { write, ...changes }: Partial<ControlState> & { write: Write },
): Plan {
  return { state: { ...state, ...changes, sentAt: now, writing: write }, write };
}

function planFallback(control: Control, state: ControlState, now: number): Plan {
  const idle: ControlState = { ...NEVER_WRITTEN, sentAt: state.sentAt };
  if (!state.isHeld || control.fallback === undefined) {
    return { state: state.isHeld || state.sent !== undefined ? idle : state, write: undefined };
  }
  return sending(state, now, { write: { kind: "fallback" }, sent: undefined, tries: 0, misses: 0, follow: "idle" });
}

/** A clock that was set back must not make the past last longer. */
function atMost(state: ControlState, now: number): ControlState {
  if (state.sentAt <= now && state.changedAt <= now) return state;
  return { ...state, sentAt: Math.min(state.sentAt, now), changedAt: Math.min(state.changedAt, now) };
}

/** Failed writes are repeated ever more slowly. */
function pauseEnd({ intervalMs }: Control, { sentAt, failures }: ControlState): number {
  const pause = failures === 0 ? intervalMs : Math.max(intervalMs, 1000) * 2 ** Math.min(failures, 16);
  return sentAt + (failures === 0 ? pause : Math.max(intervalMs, Math.min(pause, LONGEST_PAUSE_MS)));
}

function isDue(control: Control, state: ControlState, { now, next }: { now: number; next: number }): boolean {
  if (!state.isHeld || state.failures > 0 || next !== state.sent) return true;
  const isRefresh = control.refreshMs !== undefined && now - state.sentAt >= control.refreshMs / 2;
  return isRefresh || needsTry(control, state, now);
}

function needsTry({ settleMs }: Control, { follow, tries, changedAt }: ControlState, now: number): boolean {
  return follow === "not_followed" && tries < MOST_TRIES && now - changedAt >= settleMs;
}

/** Whether somebody has to look after the device. */
export const isIgnoring = ({ misses }: ControlState): boolean => misses >= MOST_TRIES;

/** The value on the way to the wanted one. Limits hold at once: they do not wait for the ramp. */
function ramped(
  { ramp }: Control,
  { sent, sentAt }: ControlState,
  { now, value, bounds, reading }: Situation & { value: number },
): number {
  const from = sent ?? reading?.value;
  if (ramp === undefined || from === undefined) return value;
  const most = ramp * Math.max(sent === undefined ? 1 : (now - sentAt) / 1000, 1);
  return clamp(clamp(value, { min: from - most, max: from + most }), bounds);
}

/** Whether the device does what it was told. */
function judged(control: Control, state: ControlState, { now, reading }: Situation): ControlState {
  if (!state.isHeld || state.sent === undefined) return state;
  if (control.reads === undefined) return { ...state, follow: "unknown" };
  const hasTime = now - state.changedAt < control.settleMs;
  const oldest = Math.max(state.changedAt - DEVICE_CLOCK_MS, now - Math.max(2 * control.settleMs, STALE_MS));
  if (reading === undefined || reading.at < oldest || reading.at > now) {
    return { ...state, follow: hasTime && state.follow === "settling" ? "settling" : "unknown" };
  }
  if (Math.abs(reading.value - state.sent) <= toleranceOf(control, state.sent)) {
    return { ...state, follow: "followed", tries: 0, misses: 0 };
  }
  if (state.follow === "followed") return { ...state, follow: "settling", changedAt: now };
  if (hasTime || state.missedAt === state.changedAt) return state;
  return { ...state, follow: "not_followed", misses: state.misses + 1, missedAt: state.changedAt };
}

function toleranceOf(control: Control, value: number): number {
  if (control.tolerance !== undefined) return control.tolerance;
  const span = control.max - control.min;
  return Math.max(0.05 * (Number.isFinite(span) ? span : Math.abs(value)), control.step ?? 0);
}

/** `isDone` is false for a write that failed, and for one of which nobody knows. */
export function writeEnded(state: ControlState, isDone: boolean): ControlState {
  const { writing } = state;
  if (writing === undefined) return state;
  // Somebody may have taken the device out of the mode that values need, so it is prepared again.
  if (!isDone) return { ...state, writing: undefined, failures: state.failures + 1, isPrepared: false };
  if (writing.kind === "fallback") return { ...NEVER_WRITTEN, sentAt: state.sentAt };
  return { ...state, writing: undefined, failures: 0, isPrepared: true };
}

/**
 * After a start, and when a device has come back: nobody knows what it still has, so it is told again. The end of a write that was
 * on its way does not count any more.
 */
export function startedAnew(state: ControlState): ControlState {
  if (!state.isHeld) return state;
  return { ...state, writing: undefined, failures: Math.max(state.failures, 1), isPrepared: false };
}

/** Somebody has executed a command with this value, and the device has taken it. */
export function writtenByOthers(state: ControlState, value: number, now: number): ControlState {
  // Which of the two the device took last is not known.
  if (state.writing !== undefined) return startedAnew({ ...state, isHeld: true });
  const sent = { isHeld: true, sent: value, sentAt: now, changedAt: now };
  return { ...state, ...sent, failures: 0, tries: 0, follow: "settling" };
}
