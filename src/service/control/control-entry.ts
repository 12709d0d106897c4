import { type Claim, holds } from "#core/control/claim.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import { type ControlState, NEVER_WRITTEN } from "#core/control/control-writer.ts";
import type { Resolution } from "#core/control/resolve-claims.ts";
import type { ControlView } from "./control-view.ts";

type StateChange = (state: ControlState) => ControlState;

/** A control that somebody claims or that still owes its fallback. */
export interface ControlEntry {
  readonly deviceId: string;
  readonly control: string;
  claims: readonly Claim[];
  state: ControlState;
  /** What has happened to the state since its turn began. */
  changes: readonly StateChange[];
  wasReachable: boolean;
  /** Rises with each write: only the end of the last one counts. */
  writes: number;
  /** The state differs from the stored one. */
  isDirty: boolean;
  /** Ids of alerts that it gives rise to. */
  alerts: readonly string[];
  hasAlerted: boolean;
  /** What the last entry of the history said. */
  recorded: string | undefined;
  /** What the device did when an interlock first told it something; undefined while none does. */
  heldFrom: number | undefined;
  /** What listeners were last told. */
  announced: string | undefined;
}

export function newEntry(deviceId: string, control: string, state: ControlState = NEVER_WRITTEN): ControlEntry {
  // A device that is connected already is not told again because of that.
  const flags = { wasReachable: true, writes: 0, isDirty: false, alerts: [], hasAlerted: false };
  return {
    deviceId,
    control,
    claims: [],
    state,
    changes: [],
    ...flags,
    recorded: undefined,
    heldFrom: undefined,
    announced: undefined,
  };
}

/** What happens beside its turn, such as the end of a write. */
export function changeState(entry: ControlEntry, change: StateChange): void {
  entry.state = change(entry.state);
  entry.changes = [...entry.changes, change];
  entry.isDirty = true;
}

/** What its turn plans with. What happens until `endTurn` is kept, and counts after what was planned. */
export function beginTurn(entry: ControlEntry): ControlState {
  entry.changes = [];
  return entry.state;
}

/** What was planned is stored. */
export function endTurn(entry: ControlEntry, planned: ControlState): void {
  entry.state = entry.changes.reduce((state, change) => change(state), planned);
  entry.isDirty = entry.changes.length > 0;
}

export function isDone({ claims, state, isDirty }: ControlEntry, now: number): boolean {
  const isHeld = state.isHeld || state.writing !== undefined || isDirty;
  return !isHeld && !claims.some((claim) => holds(claim, now));
}

interface Moment {
  readonly now: number;
  readonly resolution: Resolution;
  readonly state: ControlState;
  readonly measured: number | undefined;
}

/** The entry of history, if something is different from the last one. */
export function recordOf(entry: ControlEntry, { now, resolution, state, measured }: Moment): ControlRecord | undefined {
  const { value, winner } = resolution;
  // While it settles, nothing new is known.
  const follow = state.follow;
  const said = JSON.stringify([value, winner?.id, follow === "followed" || follow === "not_followed" ? follow : ""]);
  if (said === entry.recorded) return undefined;
  entry.recorded = said;
  return {
    control: entry.control,
    at: now * 1000,
    value,
    follow,
    measured,
    class: winner?.class,
    source: winner?.source,
    reason: winner?.reason,
    cause: winner?.cause,
    door: winner?.door,
  };
}

/** Whether listeners are told. Measurements, and steps on the way to the value, alone are no news. */
export function isNews(
  entry: ControlEntry,
  { resolution, state, claims }: Pick<ControlView, "resolution" | "state" | "claims">,
) {
  const { value, winner, bounds, isContradicted, until } = resolution;
  const limits = [bounds.min, bounds.max, bounds.minBy?.id, bounds.maxBy?.id];
  const held = claims.map((claim) => [claim.id, claim.value, claim.leaseUntil]);
  const said = JSON.stringify([value, winner?.id, limits, isContradicted, until, state.follow, held]);
  if (said === entry.announced) return false;
  entry.announced = said;
  return true;
}
