import { ACCESS_LEVELS } from "#core/access/level.ts";
import { MAX_PAST_ALERTS } from "#core/alert/alert-limits.ts";
import type { AlertChange, AlertSeverity } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Notice } from "#core/webhook/webhook.ts";
import type { AlertFilter, AlertRecord, AlertStore } from "#service/ports/alert-store.ts";
import type { Connection, Row } from "./connection.ts";
import type { Lists } from "./lists.ts";
import { listed, number, optionalText, optionalTime, text, time } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { enqueueNotices } from "./webhook-store.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS =
  "device_id, source, alert_id, raised_at, site_id, blueprint_id, severity, read_level, hardens_at, hardened_at, cleared_at";
const PRUNE_AT_ONCE = 1_000;

export function createAlertStore(reader: Connection, writer: Writer, lists: Lists): AlertStore {
  return {
    record: (deviceId, changes, notices) => writer.run("recordAlerts", { deviceId, changes, notices }),
    active: async (deviceId) => {
      const where = new Where().and("cleared_at IS NULL");
      if (deviceId !== undefined) where.and("device_id = ?", deviceId);
      const sql = `SELECT ${COLUMNS} FROM alert${where.sql} ORDER BY raised_at, device_id, source, alert_id`;
      return readRows(reader, { table: "alert", rows: reader.all(sql, ...where.values) }, readAlert);
    },
    list: async (filter, page) =>
      lists.page(page, {
        columns: COLUMNS,
        from: "alert",
        where: whereOf(filter),
        order: filter.newestFirst
          ? "raised_at DESC, device_id DESC, source DESC, alert_id DESC"
          : "raised_at, device_id, source, alert_id",
        read: readAlert,
      }),
    raisedNames: async (deviceIds, level) => {
      const names = new Map<string, Set<string>>(deviceIds.map((id) => [id, new Set()]));
      const rows = reader.all(
        `SELECT device_id, alert_id FROM alert WHERE cleared_at IS NULL AND read_level <= ?
         AND device_id IN (SELECT value FROM json_each(?)) ORDER BY raised_at, source, alert_id`,
        ACCESS_LEVELS.indexOf(level),
        listed(deviceIds),
      );
      for (const row of rows) names.get(text(row, "device_id"))?.add(text(row, "alert_id"));
      return new Map([...names].map(([id, set]) => [id, [...set]]));
    },
    prune: (before) => writer.run("pruneAlerts", { before }),
  };
}

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

/** Raised, cleared and raised again in one moment is one alert. */
function insert(
  database: Connection,
  { alert }: AlertChange,
  device: { readonly id: string; readonly siteId: string },
): void {
  database.run(
    `INSERT INTO alert (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
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

function whereOf(filter: AlertFilter): Where {
  const where = new Where()
    .and(filter.active ? "cleared_at IS NULL" : "cleared_at IS NOT NULL")
    .and("read_level <= ?", ACCESS_LEVELS.indexOf(filter.level))
    .andInScope("site_id", filter.scope)
    .andIn("device_id", filter.deviceIds)
    .andIn("severity", filter.severities);
  if (filter.siteId !== undefined) where.and("site_id = ?", filter.siteId);
  if (filter.hard !== undefined) where.and(filter.hard ? "hardened_at IS NOT NULL" : "hardened_at IS NULL");
  if (filter.since !== undefined) where.and("raised_at >= ?", filter.since);
  if (filter.before !== undefined) where.and("raised_at < ?", filter.before);
  return where;
}

function readAlert(row: Row): AlertRecord {
  return {
    deviceId: text(row, "device_id"),
    siteId: text(row, "site_id"),
    source: text(row, "source"),
    alertId: text(row, "alert_id"),
    blueprintId: optionalText(row, "blueprint_id"),
    severity: text(row, "severity") as AlertSeverity,
    readLevel: ACCESS_LEVELS[number(row, "read_level")] ?? "system",
    raisedAt: time(row, "raised_at"),
    hardensAt: time(row, "hardens_at"),
    isHard: row["hardened_at"] !== null,
    clearedAt: optionalTime(row, "cleared_at"),
  };
}
