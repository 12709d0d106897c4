import { createHeldRoom, type HeldStore, MAX_AHEAD_MS, RELEASED_AT_ONCE } from "#store/series/held-store.ts";
import type { Transactions } from "./transactions.ts";

/** `block` is this node's: the clock by which points of an earlier run or of another node arrived is unknown. */
export async function createHeldPoints({ query, run }: Transactions, block: number): Promise<HeldStore> {
  const room = createHeldRoom();
  const sizes = await query<{ device_id: string; size: number }>(
    "SELECT device_id, sum(length(points)) AS size FROM telemetry_held GROUP BY device_id",
  );
  for (const { device_id, size } of sizes.rows) room.count(device_id, size);
  return {
    async put(points) {
      const fitting = points.filter(({ deviceId, values: { length: bytes } }) => {
        if (!room.has(deviceId, bytes)) return false;
        room.count(deviceId, bytes);
        return true;
      });
      try {
        await run(
          fitting.map(({ deviceId, at, arrivedAt, values }) => ({
            sql: "INSERT INTO telemetry_held (device_id, at, arrived_at, points, block) VALUES ($1, $2, $3, $4, $5)",
            values: [deviceId, at, arrivedAt, values, block],
          })),
        );
      } catch (error) {
        for (const { deviceId, values } of fitting) room.count(deviceId, -values.length);
        throw error;
      }
    },
    async shift(byMs) {
      await query("UPDATE telemetry_held SET arrived_at = arrived_at + $1 WHERE block = $2", [byMs, block]);
    },
    async releasable() {
      const { rows } = await query<{ id: number; device_id: string; at: number; arrived_at: number; points: string }>(
        `SELECT id, device_id, at, arrived_at, points FROM telemetry_held
         WHERE at <= arrived_at + ${MAX_AHEAD_MS} ORDER BY id LIMIT ${RELEASED_AT_ONCE}`,
      );
      return rows.map(({ id, device_id, at, arrived_at, points }) => ({
        id,
        deviceId: device_id,
        at,
        arrivedAt: arrived_at,
        values: points,
      }));
    },
    async remove(rows) {
      await query("DELETE FROM telemetry_held WHERE id = ANY ($1::bigint[])", [rows.map(({ id }) => id)]);
      for (const { deviceId, values } of rows) room.count(deviceId, -values.length);
    },
    async deleteDevice(deviceId) {
      await query("DELETE FROM telemetry_held WHERE device_id = $1", [deviceId]);
      room.free(deviceId);
    },
  };
}
