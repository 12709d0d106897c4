import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import type { DeviceLogEntry, DeviceLogStore } from "#service/ports/device-log-store.ts";
import type { Database, Row } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { micros, oneOf, text, time } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "received_at, taken_at, severity, message, persist";

export function createDeviceLogStore(reader: Database, writer: Writer, lists: Lists): DeviceLogStore {
  return {
    find: async (deviceId, receivedAt) => {
      const sql = `SELECT ${COLUMNS} FROM device_log WHERE device_id = ? AND received_at = ?`;
      const row = await reader.get(sql, deviceId, receivedAt);
      return row && parseEntry(row);
    },
    append: (deviceId, entries, maxBytes) => writer.run("appendDeviceLog", { deviceId, entries, maxBytes }),
    list: async (deviceId, filter, page) => {
      const where = new Where().and("device_id = ?", deviceId);
      if (filter.since !== undefined) where.and("received_at >= ?", Math.round(filter.since * 1000));
      if (filter.before !== undefined) where.and("received_at < ?", Math.round(filter.before * 1000));
      if (filter.persisted !== undefined) where.and("persist = ?", filter.persisted ? 1 : 0);
      where.andIn("severity", filter.severities);
      return lists.page(page, {
        columns: COLUMNS,
        from: "device_log",
        where,
        range: new Where().and("device_id = ?", deviceId),
        whose: `logs ${deviceId}`,
        order: filter.newestFirst ? "received_at DESC" : "received_at",
        read: parseEntry,
      });
    },
    prune: (limits) => writer.run("pruneDeviceLogs", limits),
  };
}

function parseEntry(row: Row): DeviceLogEntry {
  return {
    receivedAt: micros(row, "received_at"),
    takenAt: time(row, "taken_at"),
    severity: oneOf(row, "severity", LOG_SEVERITIES),
    message: text(row, "message"),
    persist: row["persist"] === 1,
  };
}
