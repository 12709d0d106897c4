import type { Micros } from "#core/command/execution.ts";
import type { Instant } from "#core/time/instant.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { Connection } from "./connection.ts";
import { number, optionalNumber, text } from "./row.ts";

const PRUNE_AT_ONCE = 1_000;

/** Bytes that an entry takes in addition to its text. */
const ENTRY_BYTES = 64;

export const deviceLogWrites = {
  appendDeviceLog(
    database: Connection,
    { deviceId, entries, maxBytes }: { deviceId: string; entries: readonly DeviceLogEntry[]; maxBytes: number },
  ): readonly DeviceLogEntry[] {
    const newest = database.one("SELECT max(received_at) AS at FROM device_log WHERE device_id = ?", deviceId);
    // Nothing comes before the first entry.
    let last = optionalNumber(newest, "at") ?? 0;
    const stored = entries.map((entry) => {
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
      const bytes = Buffer.byteLength(entry.message) + ENTRY_BYTES;
      database.run(
        `INSERT INTO device_log_size (device_id, persist, bytes) VALUES (?, ?, ?)
         ON CONFLICT (device_id, persist) DO UPDATE SET bytes = bytes + excluded.bytes`,
        deviceId,
        entry.persist ? 1 : 0,
        bytes,
      );
      return { ...entry, receivedAt: last as Micros };
    });
    for (const persist of new Set(entries.map((entry) => entry.persist))) {
      dropOldest(database, { deviceId, persist: persist ? 1 : 0, maxBytes });
    }
    return stored;
  },

  pruneDeviceLogs(
    database: Connection,
    { persistedBefore, temporaryBefore }: { persistedBefore: Instant; temporaryBefore: Instant },
  ): number {
    const drop = (persist: 0 | 1, before: Instant): number => {
      const rows = database.all(
        `DELETE FROM device_log WHERE (device_id, received_at) IN (
           SELECT device_id, received_at FROM device_log WHERE persist = ? AND received_at < ? LIMIT ?)
         RETURNING device_id, octet_length(message) + ${ENTRY_BYTES} AS bytes`,
        persist,
        before * 1000,
        PRUNE_AT_ONCE,
      );
      for (const row of rows) shrink(database, text(row, "device_id"), { persist, by: number(row, "bytes") });
      return rows.length;
    };
    return drop(0, temporaryBefore) + drop(1, persistedBefore);
  },
};

interface Kind {
  readonly deviceId: string;
  readonly persist: 0 | 1;
  readonly maxBytes: number;
}

/** The oldest entries make room for the newest. */
function dropOldest(database: Connection, { deviceId, persist, maxBytes }: Kind): void {
  const size = database.get("SELECT bytes FROM device_log_size WHERE device_id = ? AND persist = ?", deviceId, persist);
  let excess = (size === undefined ? 0 : number(size, "bytes")) - maxBytes;
  while (excess > 0) {
    const [dropped] = database.all(
      `DELETE FROM device_log WHERE device_id = ? AND received_at = (
         SELECT received_at FROM device_log WHERE device_id = ? AND persist = ? ORDER BY received_at LIMIT 1)
       RETURNING octet_length(message) + ${ENTRY_BYTES} AS bytes`,
      deviceId,
      deviceId,
      persist,
    );
    if (dropped === undefined) return;
    const by = number(dropped, "bytes");
    shrink(database, deviceId, { persist, by });
    excess -= by;
  }
}

function shrink(database: Connection, deviceId: string, { persist, by }: { persist: 0 | 1; by: number }): void {
  database.run(
    "UPDATE device_log_size SET bytes = bytes - ? WHERE device_id = ? AND persist = ?",
    by,
    deviceId,
    persist,
  );
}
