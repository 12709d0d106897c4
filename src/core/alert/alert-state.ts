// The active alerts of one device, folded from its telemetry and from expired grace periods.
//
// A source is a telemetry attribute that lists alert ids; each keeps its own set. Only a report as new as the newest one
// of its source counts, so that messages out of order never undo a newer state. An alert is raised at the time of the
// first report that lists it, cleared at the time of the first one that does not, and hard when it has lasted its grace
// period between the two.
//
// A device that goes on sending telemetry without repeating a list makes the alerts of that list unconfirmed: nobody
// knows whether they last. They neither harden nor end until a list of their source comes. A device that is silent
// changes nothing.
import type { AccessLevel } from "#core/access/level.ts";
import type { Alert } from "#core/blueprint/blueprint.ts";
import { NO_TIME, toMilliseconds } from "#core/time/duration.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { type AlertDetails, NO_DETAILS, roomForDetails, withDetailsOf } from "./alert-details.ts";
import { KNOWN_ALERTS } from "./known-alerts.ts";

export const ALERT_SEVERITIES = ["info", "warning", "error"] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export const ALERT_STATES = ["SOFT", "HARD", "UNCONFIRMED"] as const;
export type AlertStateName = (typeof ALERT_STATES)[number];

/** What is known about the source of an alert when it is raised. */
interface AlertOrigin {
  /** Id of the attribute. */
  readonly source: string;
  /** Needed to read the attribute, and so the alert. */
  readonly readLevel: AccessLevel;
  /** Undefined for a device without a blueprint. */
  readonly blueprintId: string | undefined;
}

export interface RaisedAlert extends AlertOrigin {
  readonly alertId: string;
  /** As declared when it was raised. */
  readonly severity: AlertSeverity;
  readonly raisedAt: Instant;
  readonly hardensAt: Instant;
  readonly isHard: boolean;
  /** When a list named it last, once the device has stopped repeating the list. */
  readonly notConfirmedSince: Instant | undefined;
  /** What the device said about it, as JSON text. */
  readonly details: string | undefined;
}

/** What one message reports about one source: exactly these alerts are active. */
export interface AlertReport extends AlertOrigin {
  readonly at: Instant;
  readonly alertIds: readonly string[];
  readonly details?: AlertDetails;
}

/** `updated` means new details: they are stored, and nobody is notified. */
export type AlertChangeKind = "raised" | "hardened" | "unconfirmed" | "confirmed" | "updated" | "cleared";

export interface AlertChange {
  readonly kind: AlertChangeKind;
  readonly at: Instant;
  /** As it is after the change. */
  readonly alert: RaisedAlert;
}

interface SourceState {
  /** Time of the newest report. */
  readonly at: Instant;
  readonly active: ReadonlyMap<string, RaisedAlert>;
}

/** By source. */
export type AlertState = ReadonlyMap<string, SourceState>;

export interface FoldedAlerts {
  readonly state: AlertState;
  /** In the order in which they happened. */
  readonly changes: readonly AlertChange[];
}

export const NO_ALERTS: AlertState = new Map();

export function alertStateOf({ isHard, notConfirmedSince }: RaisedAlert): AlertStateName {
  if (notConfirmedSince !== undefined) return "UNCONFIRMED";
  return isHard ? "HARD" : "SOFT";
}

/** An alert that is neither declared nor known to all is an error without a grace period. */
export function withReport(state: AlertState, report: AlertReport, declared: ReadonlyMap<string, Alert>): FoldedAlerts {
  const { source, at } = report;
  const before = state.get(source);
  if (before !== undefined && at < before.at) return { state, changes: [] };
  const listed = new Set(report.alertIds);
  const active = new Map<string, RaisedAlert>();
  const changes: AlertChange[] = [];
  const details = report.details ?? NO_DETAILS;
  const room = details.size === 0 ? undefined : roomForDetails(before?.active.values() ?? []);
  for (const alert of before?.active.values() ?? []) {
    if (listed.has(alert.alertId)) {
      const known = withDetailsOf(alert, details, room);
      if (known !== alert) changes.push({ kind: "updated", at, alert: known });
      active.set(alert.alertId, hardenedBy(confirmedBy(known, at, changes), at, changes));
    } else clear(alert, at, changes);
  }
  for (const alertId of listed) {
    if (active.has(alertId)) continue;
    const raised = raise(report, alertId, declared.get(alertId) ?? KNOWN_ALERTS.get(alertId));
    const alert = withDetailsOf(raised, details, room);
    active.set(alertId, alert);
    changes.push({ kind: "raised", at, alert });
  }
  return { state: new Map(state).set(source, { at, active }), changes };
}

/** Whether `withTelemetry` would change anything. Called for every message, so it makes nothing. */
export function isDoubted(state: AlertState, at: Instant, patienceMs: number): boolean {
  for (const source of state.values()) if (isSourceDoubted(source, at, patienceMs)) return true;
  return false;
}

/** The device has sent telemetry. What it has not listed again for so long is no longer confirmed. */
export function withTelemetry(state: AlertState, at: Instant, patienceMs: number): FoldedAlerts {
  if (!isDoubted(state, at, patienceMs)) return { state, changes: [] };
  const changes: AlertChange[] = [];
  const next = new Map(state);
  for (const [name, source] of state) {
    if (!isSourceDoubted(source, at, patienceMs)) continue;
    const active = new Map<string, RaisedAlert>();
    for (const [alertId, alert] of source.active) {
      const doubted = { ...alert, notConfirmedSince: alert.notConfirmedSince ?? source.at };
      if (alert.notConfirmedSince === undefined) changes.push({ kind: "unconfirmed", at, alert: doubted });
      active.set(alertId, doubted);
    }
    next.set(name, { at: source.at, active });
  }
  return { state: next, changes };
}

/** Details that came without a list: they confirm nothing. */
export function withDetails(state: AlertState, details: AlertDetails, at: Instant): FoldedAlerts {
  const changes: AlertChange[] = [];
  const next = new Map(state);
  for (const [name, source] of state) {
    const room = roomForDetails(source.active.values());
    const active = new Map<string, RaisedAlert>();
    for (const [alertId, alert] of source.active) {
      const known = withDetailsOf(alert, details, room);
      if (known !== alert) changes.push({ kind: "updated", at, alert: known });
      active.set(alertId, known);
    }
    next.set(name, { at: source.at, active });
  }
  return changes.length === 0 ? { state, changes } : { state: next, changes };
}

/** Hardens what has lasted its grace period at that moment. */
export function withMoment(state: AlertState, moment: Instant): FoldedAlerts {
  const changes: AlertChange[] = [];
  const next = new Map<string, SourceState>();
  for (const [source, { at, active }] of state) {
    const after = [...active].map(([id, alert]) => [id, hardenedBy(alert, moment, changes)] as const);
    next.set(source, { at, active: new Map(after) });
  }
  return { state: next, changes };
}

/** A list of Busbar's own beside those of the device, such as that of its controls. No attribute has such a name. */
export const isOwnList = (source: string): boolean => source.startsWith(".");

/** Clears the alerts of sources that the device no longer has. */
export function withSources(state: AlertState, has: (source: string) => boolean, at: Instant): FoldedAlerts {
  const changes: AlertChange[] = [];
  for (const [source, { active }] of state) {
    if (!has(source)) for (const alert of active.values()) clear(alert, at, changes);
  }
  return { state: new Map([...state].filter(([source]) => has(source))), changes };
}

/** The moment at which the next alert hardens. */
export function nextHardening(state: AlertState): Instant | undefined {
  let next: Instant | undefined;
  for (const { active } of state.values()) {
    for (const { isHard, hardensAt, notConfirmedSince } of active.values()) {
      if (isHard || notConfirmedSince !== undefined) continue;
      if (next === undefined || hardensAt < next) next = hardensAt;
    }
  }
  return next;
}

/** The state that left these active alerts behind. When its newest report came is known only as far as they show. */
export function restoreAlerts(alerts: Iterable<RaisedAlert>): AlertState {
  const state = new Map<string, { at: Instant; active: Map<string, RaisedAlert> }>();
  for (const alert of alerts) {
    const listedAt = alert.notConfirmedSince ?? alert.raisedAt;
    const source = state.get(alert.source) ?? { at: listedAt, active: new Map() };
    if (listedAt > source.at) source.at = listedAt;
    source.active.set(alert.alertId, alert);
    state.set(alert.source, source);
  }
  return state;
}

function raise({ source, readLevel, blueprintId, at }: AlertReport, alertId: string, rule?: Alert): RaisedAlert {
  const hardensAt = instant(at + toMilliseconds(rule?.gracePeriod ?? NO_TIME));
  return {
    source,
    readLevel,
    blueprintId,
    alertId,
    severity: rule?.severity ?? "error",
    raisedAt: at,
    hardensAt,
    isHard: hardensAt <= at,
    notConfirmedSince: undefined,
    details: undefined,
  };
}

function isSourceDoubted(source: SourceState, at: Instant, patienceMs: number): boolean {
  if (at - source.at < patienceMs) return false;
  for (const { notConfirmedSince } of source.active.values()) if (notConfirmedSince === undefined) return true;
  return false;
}

/** A list that is read a second time, after a restart, confirms nothing. */
function confirmedBy(alert: RaisedAlert, at: Instant, changes: AlertChange[]): RaisedAlert {
  if (alert.notConfirmedSince === undefined || at <= alert.notConfirmedSince) return alert;
  const confirmed = { ...alert, notConfirmedSince: undefined };
  changes.push({ kind: "confirmed", at, alert: confirmed });
  return confirmed;
}

function hardenedBy(alert: RaisedAlert, moment: Instant, changes: AlertChange[]): RaisedAlert {
  if (alert.isHard || alert.hardensAt > moment || alert.notConfirmedSince !== undefined) return alert;
  const hard = { ...alert, isHard: true };
  changes.push({ kind: "hardened", at: alert.hardensAt, alert: hard });
  return hard;
}

/** One that was taken for hard, because the news of its end came late, turns out to have been soft. */
function clear(alert: RaisedAlert, at: Instant, changes: AlertChange[]): void {
  const last = hardenedBy(alert, at, changes);
  changes.push({ kind: "cleared", at, alert: { ...last, isHard: last.isHard && last.hardensAt <= at } });
}
