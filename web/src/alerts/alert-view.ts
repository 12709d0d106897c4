// What the screens of alerts compute: order, countdown, filters, and which alert an address means.
import type { Alert, Queries } from "#client/resources.ts";
import { ALERT_SEVERITIES, ALERT_STATES } from "#core/alert/alert-state.ts";
import type { QueryChange } from "#web/router/paths.ts";
import type { Query } from "#web/router/query.ts";

const SEVERITY_ORDER: readonly Alert["severity"][] = ["error", "warning", "info"];
const STATE_ORDER: readonly Alert["state"][] = ["HARD", "SOFT", "UNCONFIRMED"];

/** The most urgent first: by severity, then those that surely last, then the newest. */
export function byUrgency(a: Alert, b: Alert): number {
  return (
    SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) ||
    STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) ||
    (a.raised_at < b.raised_at ? 1 : -1)
  );
}

/** Milliseconds until the grace period is over; undefined when none runs. */
export function graceLeft({ state, hardens_at: end, cleared_at: cleared }: Alert, now: number): number | undefined {
  if (state !== "SOFT" || end === undefined || cleared !== undefined) return undefined;
  return Math.max(0, Date.parse(end) - now);
}

/** Milliseconds that it lasts or has lasted. */
export function lengthOf({ raised_at: raised, cleared_at: cleared }: Alert, now: number): number {
  return Math.max(0, (cleared === undefined ? now : Date.parse(cleared)) - Date.parse(raised));
}

/** A maintenance window holds notifications back. */
export const isSilenced = ({ silenced_until: until }: Pick<Alert, "silenced_until">, now: number): boolean =>
  until !== undefined && Date.parse(until) > now;

const PAGE_SIZE = 50;

type ShownAlerts = {
  /** Those that were active. */
  readonly isPast: boolean;
  readonly filter: Queries["listSiteAlerts"] & { readonly limit: number; readonly offset: number };
};

/** In the address, filters have the names of the interface. What is not understood is left out. */
export function readFilter(query: Query): ShownAlerts {
  const offset = query.number("offset") ?? 0;
  return {
    isPast: query.text("active") === "false",
    filter: {
      "severity.in": query.choice("severity.in", ALERT_SEVERITIES),
      "state.in": query.choice("state.in", ALERT_STATES),
      "raised_at.gte": query.moment("raised_at.gte"),
      "raised_at.lt": query.moment("raised_at.lt"),
      order: query.text("order") === "RAISED_AT_ASC" ? "RAISED_AT_ASC" : undefined,
      limit: PAGE_SIZE,
      offset: offset > 0 ? Math.floor(offset) : 0,
    },
  };
}

/** Active alerts are known already: the same filter without a call. */
export function selectActive(alerts: readonly Alert[], { filter }: ShownAlerts): readonly Alert[] {
  const { "severity.in": severities, "state.in": states, "raised_at.gte": from, "raised_at.lt": to } = filter;
  const fits = (alert: Alert) =>
    severities?.includes(alert.severity) !== false &&
    states?.includes(alert.state) !== false &&
    (from === undefined || Date.parse(alert.raised_at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(alert.raised_at) < Date.parse(to));
  const found = alerts.filter(fits).sort(byUrgency);
  return filter.order === undefined ? found : found.sort((a, b) => (a.raised_at < b.raised_at ? -1 : 1));
}

/** One of the alerts of a device, or of the site, that is looked at closely. */
export function alertQuery({ id, device_id: device, source, raised_at: raisedAt }: Alert): QueryChange {
  return { alert: id, alert_device: device, alert_source: source, alert_raised_at: raisedAt };
}

export const NO_ALERT: QueryChange = {
  alert: undefined,
  alert_device: undefined,
  alert_source: undefined,
  alert_raised_at: undefined,
};

/** The alert that the address means. An address may name less than the page itself would write. */
export function findAlert(alerts: readonly Alert[], query: Query): Alert | undefined {
  const [id, device, source, raisedAt] = ["alert", "alert_device", "alert_source", "alert_raised_at"].map(query.text);
  if (id === undefined) return undefined;
  const candidates = alerts.filter(
    (alert) =>
      alert.id === id &&
      (device === undefined || alert.device_id === device) &&
      (source === undefined || alert.source === source),
  );
  return (
    candidates.find((alert) => alert.raised_at === raisedAt) ?? (raisedAt === undefined ? candidates[0] : undefined)
  );
}

export function alertKey({ id, device_id: device, source, raised_at: raisedAt }: Alert): string {
  return JSON.stringify([device, source, id, raisedAt]);
}
