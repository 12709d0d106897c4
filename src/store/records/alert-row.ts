import { doorOf } from "#core/access/door.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { Acknowledgement } from "#core/alert/acknowledgement.ts";
import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";
import type { Row } from "#store/database.ts";
import { number, oneOf, optionalText, optionalTime, text, time } from "./row.ts";

export const ALERT_COLUMNS =
  "device_id, source, alert_id, raised_at, site_id, blueprint_id, severity, read_level, hardens_at, hardened_at, cleared_at, not_confirmed_since, details";
export const ACKNOWLEDGED =
  "acknowledged_at, acknowledged_by, acknowledged_name, acknowledged_comment, acknowledged_door";

export function parseAlert(row: Row): AlertRecord {
  return {
    deviceId: text(row, "device_id"),
    siteId: text(row, "site_id"),
    source: text(row, "source"),
    alertId: text(row, "alert_id"),
    blueprintId: optionalText(row, "blueprint_id"),
    severity: oneOf(row, "severity", ALERT_SEVERITIES),
    readLevel: ACCESS_LEVELS[number(row, "read_level")] ?? "system",
    raisedAt: time(row, "raised_at"),
    hardensAt: time(row, "hardens_at"),
    isHard: row["hardened_at"] !== null,
    clearedAt: optionalTime(row, "cleared_at"),
    notConfirmedSince: optionalTime(row, "not_confirmed_since"),
    details: optionalText(row, "details"),
    acknowledgement: acknowledgementOf(row),
  };
}

function acknowledgementOf(row: Row): Acknowledgement | undefined {
  const at = optionalTime(row, "acknowledged_at");
  if (at === undefined) return undefined;
  const by = { tokenId: text(row, "acknowledged_by"), name: text(row, "acknowledged_name") };
  return { at, by, comment: optionalText(row, "acknowledged_comment"), door: doorOf(row["acknowledged_door"]) };
}
