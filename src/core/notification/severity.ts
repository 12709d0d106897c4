import { ALERT_SEVERITIES, type AlertSeverity } from "#core/alert/alert-state.ts";

export const isAtLeast = (severity: AlertSeverity, least: AlertSeverity): boolean =>
  ALERT_SEVERITIES.indexOf(severity) >= ALERT_SEVERITIES.indexOf(least);

/** The gravest of them; info where there are none. */
export const worst = (severities: readonly AlertSeverity[]): AlertSeverity =>
  severities.reduce((grave, one) => (isAtLeast(one, grave) ? one : grave), "info");
