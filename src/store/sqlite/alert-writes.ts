import { ACCESS_LEVELS } from "#core/access/level.ts";
import { MAX_PAST_ALERTS } from "#core/alert/alert-limits.ts";
import type { AlertChange } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Notice } from "#core/webhook/webhook.ts";
import { ALERT_COLUMNS } from "./alert-row.ts";
import type { Connection } from "./connection.ts";
import { text } from "./row.ts";
import { enqueueNotices } from "./webhook-writes.ts";

const PRUNE_AT_ONCE = 1_000;

export const alertWrites = {
  recordAlerts(
    database: Connection,
    { deviceId, changes, notices }: { deviceId: string; changes: readonly AlertChange[]; notices: readonly Notice[] },
  ): boolean {
    const device = database.get("SELECT site_id FROM device WHERE id = ?", deviceId);
    if (device === undefined) return false;
    for (const change of changes) {
      if (change.kind === "raised") insert(database, change, { id: deviceId, siteId: text(device, "site_id") });
      else update(database, change, deviceId);
    }
    if (changes.some(({ kind }) => kind === "cleared")) forgetOldest(database, deviceId);
    enqueueNotices(database, notices);
    return true;
  },

  pruneAlerts(database: Connection, { before }: { before: Instant }): number {
    return database.run(
      `DELETE FROM alert WHERE (device_id, source, alert_id, raised_at) IN
       (SELECT device_id, source, alert_id, raised_at FROM alert WHERE cleared_at < ? ORDER BY cleared_at LIMIT ?)`,
      before,
      PRUNE_AT_ONCE,
    );
  },
};

/** An alert that is raised, cleared and raised again in one moment counts as one alert. */
function insert(
  database: Connection,
  { alert }: AlertChange,
  device: { readonly id: string; readonly siteId: string },
): void {
  database.run(
    `INSERT INTO alert (${ALERT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
     ON CONFLICT DO UPDATE SET severity = excluded.severity, read_level = excluded.read_level,
       blueprint_id = excluded.blueprint_id, hardens_at = excluded.hardens_at, hardened_at = excluded.hardened_at,
       cleared_at = NULL`,
    device.id,
    alert.source,
    alert.alertId,
    alert.raisedAt,
    device.siteId,
    alert.blueprintId ?? null,
    alert.severity,
    ACCESS_LEVELS.indexOf(alert.readLevel),
    alert.hardensAt,
    alert.isHard ? alert.hardensAt : null,
  );
}

function update(database: Connection, { kind, at, alert }: AlertChange, deviceId: string): void {
  database.run(
    `UPDATE alert SET hardened_at = ?, cleared_at = ?
     WHERE device_id = ? AND source = ? AND alert_id = ? AND raised_at = ?`,
    alert.isHard ? alert.hardensAt : null,
    kind === "cleared" ? at : null,
    deviceId,
    alert.source,
    alert.alertId,
    alert.raisedAt,
  );
}

function forgetOldest(database: Connection, deviceId: string): void {
  database.run(
    `DELETE FROM alert WHERE device_id = ? AND cleared_at IS NOT NULL AND raised_at <=
     (SELECT raised_at FROM alert WHERE device_id = ? AND cleared_at IS NOT NULL ORDER BY raised_at DESC LIMIT 1 OFFSET ?)`,
    deviceId,
    deviceId,
    MAX_PAST_ALERTS,
  );
}
