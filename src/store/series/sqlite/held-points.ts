import { number, text } from "#store/records/row.ts";
import { createHeldRoom, type HeldStore, MAX_AHEAD_MS, RELEASED_AT_ONCE } from "#store/series/held-store.ts";
import type { Connection } from "#store/sqlite/connection.ts";

export function createHeldPoints(database: Connection, inTransaction: (changes: () => void) => void): HeldStore {
  const room = createHeldRoom();
  for (const row of database.all("SELECT device_id, sum(length(points)) AS size FROM held GROUP BY device_id")) {
    room.count(text(row, "device_id"), number(row, "size"));
  }
  /** The clock by which points of an earlier run arrived is unknown. */
  const earlier = Number(database.get("SELECT max(id) AS last FROM held")?.["last"] ?? 0);
  return {
    put: (points) =>
      inTransaction(() => {
        for (const { deviceId, at, arrivedAt, values } of points) {
          if (!room.has(deviceId, values.length)) continue;
          database.run(
            "INSERT INTO held (device_id, at, arrived_at, points) VALUES (?, ?, ?, ?)",
            deviceId,
            at,
            arrivedAt,
            values,
          );
          room.count(deviceId, values.length);
        }
      }),
    shift: (byMs) => void database.run("UPDATE held SET arrived_at = arrived_at + ? WHERE id > ?", byMs, earlier),
    releasable: () =>
      database
        .all(
          `SELECT id, device_id, at, arrived_at, points FROM held WHERE at <= arrived_at + ${MAX_AHEAD_MS} ORDER BY id LIMIT ${RELEASED_AT_ONCE}`,
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
          room.count(deviceId, -values.length);
        }
      }),
    deleteDevice(deviceId) {
      database.run("DELETE FROM held WHERE device_id = ?", deviceId);
      room.free(deviceId);
    },
  };
}
