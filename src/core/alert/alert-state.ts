// The active alerts of one device, folded from its telemetry and from expired grace periods.
//
// A source is a telemetry attribute that lists alert ids; each keeps its own set. Only a report as new as the newest one
// of its source counts, so that messages out of order never undo a newer state. An alert is raised at the time of the
// first report that lists it, cleared at the time of the first one that does not, and hard when it has lasted its grace
// period between the two.
import type { AccessLevel } from "#core/access/level.ts";
import type { Alert } from "#core/blueprint/blueprint.ts";
import { NO_TIME, toMilliseconds } from "#core/time/duration.ts";
import { type Instant, instant } from "#core/time/instant.ts";

export const ALERT_SEVERITIES = ["info", "warning", "error"] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

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
}

/** What one message reports about one source: exactly these alerts are active. */
export interface AlertReport extends AlertOrigin {
  readonly at: Instant;
  readonly alertIds: readonly string[];
}

export type AlertChangeKind = "raised" | "hardened" | "cleared";

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

/** An alert that is not declared is an error without a grace period. */
export function withReport(state: AlertState, report: AlertReport, declared: ReadonlyMap<string, Alert>): FoldedAlerts {
  const { source, at } = report;
  const before = state.get(source);
  if (before !== undefined && at < before.at) return { state, changes: [] };
  const listed = new Set(report.alertIds);
  const active = new Map<string, RaisedAlert>();
  const changes: AlertChange[] = [];
  for (const alert of before?.active.values() ?? []) {
    if (listed.has(alert.alertId)) active.set(alert.alertId, hardenedBy(alert, at, changes));
    else clear(alert, at, changes);
  }
  for (const alertId of listed) {
    if (active.has(alertId)) continue;
    const alert = raise(report, alertId, declared.get(alertId));
    active.set(alertId, alert);
    changes.push({ kind: "raised", at, alert });
  }
  return { state: new Map(state).set(source, { at, active }), changes };
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
    for (const { isHard, hardensAt } of active.values()) {
      if (!isHard && (next === undefined || hardensAt < next)) next = hardensAt;
    }
  }
  return next;
}

/** The state that left these active alerts behind. When its newest report came is known only as far as they tell. */
export function restoreAlerts(alerts: Iterable<RaisedAlert>): AlertState {
  const state = new Map<string, { at: Instant; active: Map<string, RaisedAlert> }>();
  for (const alert of alerts) {
    const source = state.get(alert.source) ?? { at: alert.raisedAt, active: new Map() };
    if (alert.raisedAt > source.at) source.at = alert.raisedAt;
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
  };
}

function hardenedBy(alert: RaisedAlert, moment: Instant, changes: AlertChange[]): RaisedAlert {
  if (alert.isHard || alert.hardensAt > moment) return alert;
  const hard = { ...alert, isHard: true };
  changes.push({ kind: "hardened", at: alert.hardensAt, alert: hard });
  return hard;
}

/** One that was taken for hard, because the news of its end came late, turns out to have been soft. */
function clear(alert: RaisedAlert, at: Instant, changes: AlertChange[]): void {
  const last = hardenedBy(alert, at, changes);
  changes.push({ kind: "cleared", at, alert: { ...last, isHard: last.hardensAt <= at } });
}
