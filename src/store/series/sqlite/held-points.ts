import { number, text } from "#store/records/row.ts";
import type { HeldStore } from "#store/series/held-store.ts";
import type { Connection } from "#store/sqlite/connection.ts";

/** Limit per device, so that a device with a wrong clock leaves room for others. */
const DEVICE_BYTES = 1024 * 1024;
const ALL_BYTES = 16 * 1024 * 1024;
/** Rows that are released at once. */
const STEP = 500;
const MAX_AHEAD_MS = 24 * 3_600_000;

export function createHeldPoints(database: Connection, inTransaction: (changes: () => void) => void): HeldStore {
  const used = new Map<string, number>();
  let all = 0;
  const count = (deviceId: string, bytes: number) => {
    used.set(deviceId, (used.get(deviceId) ?? 0) + bytes);
    all += bytes;
  };
  for (const row of database.all("SELECT device_id, sum(length(points)) AS size FROM held GROUP BY device_id")) {
    count(text(row, "device_id"), number(row, "size"));
  }
  /** The clock by which points of an earlier run arrived is unknown. */
  const earlier = Number(database.get("SELECT max(id) AS last FROM held")?.["last"] ?? 0);
  return {
    put: (points) =>
      inTransaction(() => {
        for (const { deviceId, at, arrivedAt, values } of points) {
          const bytes = values.length;
          if ((used.get(deviceId) ?? 0) + bytes > DEVICE_BYTES || all + bytes > ALL_BYTES) continue;
          database.run(
            "INSERT INTO held (device_id, at, arrived_at, points) VALUES (?, ?, ?, ?)",
            deviceId,
            at,
            arrivedAt,
            values,
          );
          count(deviceId, bytes);
        }
      }),
    shift: (byMs) => void database.run("UPDATE held SET arrived_at = arrived_at + ? WHERE id > ?", byMs, earlier),
    releasable: () =>
      database
        .all(
          `SELECT id, device_id, at, arrived_at, points FROM held WHERE at <= arrived_at + ${MAX_AHEAD_MS} ORDER BY id LIMIT ${STEP}`,
        )
        .map((row) => ({
          id: number(row, "id"),
          deviceId: text(row, "device_id"),
          at: number(row, "at"),
          arrivedAt: number(row, "arrived_at"),
          values: text(row, "points"),
        })),
    remove: (rows) =>
      inTransaction(() => {
        for (const { id, deviceId, values } of rows) {
          database.run("DELETE FROM held WHERE id = ?", id);
          count(deviceId, -values.length);
        }
      }),
    deleteDevice(deviceId) {
      database.run("DELETE FROM held WHERE device_id = ?", deviceId);
      count(deviceId, -(used.get(deviceId) ?? 0));
    },
  };
}
