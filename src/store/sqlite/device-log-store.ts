import type { Micros } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { Instant } from "#core/time/instant.ts";
import type { DeviceLogEntry, DeviceLogStore } from "#service/ports/device-log-store.ts";
import type { Connection, Row } from "./connection.ts";
import type { Lists } from "./lists.ts";
import { number, text, time } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const PRUNE_AT_ONCE = 1_000;

export function createDeviceLogStore(lists: Lists, writer: Writer): DeviceLogStore {
  return {
    append: (deviceId, entries) => writer.run("appendDeviceLog", { deviceId, entries }),
    list: async (deviceId, filter, page) => {
      const where = new Where().and("device_id = ?", deviceId);
      if (filter.since !== undefined) where.and("received_at >= ?", filter.since * 1000);
      if (filter.before !== undefined) where.and("received_at < ?", filter.before * 1000);
      if (filter.persisted !== undefined) where.and("persist = ?", filter.persisted ? 1 : 0);
      where.andIn("severity", filter.severities);
      return lists.page(page, {
        columns: "received_at, taken_at, severity, message, persist",
        from: "device_log",
        where,
        range: new Where().and("device_id = ?", deviceId),
        whose: `logs ${deviceId}`,
        order: filter.newestFirst ? "received_at DESC" : "received_at",
        read: readEntry,
      });
    },
    prune: (limits) => writer.run("pruneDeviceLogs", limits),
  };
}

export const deviceLogWrites = {
  appendDeviceLog(
    database: Connection,
    { deviceId, entries }: { deviceId: string; entries: readonly DeviceLogEntry[] },
  ): readonly DeviceLogEntry[] {
    const row = database.get("SELECT max(received_at) AS last FROM device_log WHERE device_id = ?", deviceId);
    let last = typeof row?.["last"] === "number" ? row["last"] : 0;
    return entries.map((entry) => {
      last = Math.max(entry.receivedAt, last + 1);
      database.run(
        `INSERT INTO device_log (device_id, received_at, taken_at, severity, message, persist) VALUES (?, ?, ?, ?, ?, ?)`,
        deviceId,
        last,
        entry.takenAt,
        entry.severity,
        entry.message,
        entry.persist ? 1 : 0,
      );
      return { ...entry, receivedAt: last as Micros };
    });
  },

  pruneDeviceLogs(
    database: Connection,
    { persistedBefore, temporaryBefore }: { persistedBefore: Instant; temporaryBefore: Instant },
  ): number {
    const drop = (persist: 0 | 1, before: Instant) =>
      database.run(
        `DELETE FROM device_log WHERE (device_id, received_at) IN (
           SELECT device_id, received_at FROM device_log WHERE persist = ? AND received_at < ? LIMIT ?)`,
        persist,
        before * 1000,
        PRUNE_AT_ONCE,
      );
    return drop(0, temporaryBefore) + drop(1, persistedBefore);
  },
};

function readEntry(row: Row): DeviceLogEntry {
  return {
    receivedAt: number(row, "received_at") as Micros,
    takenAt: time(row, "taken_at"),
    severity: text(row, "severity") as LogSeverity,
    message: text(row, "message"),
    persist: row["persist"] === 1,
  };
}
