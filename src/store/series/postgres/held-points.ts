import type { HeldStore } from "#store/series/held-store.ts";
import type { Transactions } from "./transactions.ts";

/** Limit per device, so that a device with a wrong clock leaves room for others. */
const DEVICE_BYTES = 1024 * 1024;
const ALL_BYTES = 16 * 1024 * 1024;
/** Rows that are released at once. */
const STEP = 500;
const MAX_AHEAD_MS = 24 * 3_600_000;

/** `block` is this node's: the clock by which points of an earlier run or of another node arrived is unknown. */
export async function createHeldPoints({ query, run }: Transactions, block: number): Promise<HeldStore> {
  const used = new Map<string, number>();
  let all = 0;
  const count = (deviceId: string, bytes: number) => {
    used.set(deviceId, (used.get(deviceId) ?? 0) + bytes);
    all += bytes;
  };
  const sizes = await query<{ device_id: string; size: number }>(
    "SELECT device_id, sum(length(points)) AS size FROM telemetry_held GROUP BY device_id",
  );
  for (const { device_id, size } of sizes.rows) count(device_id, size);
  return {
    async put(points) {
      const fitting = points.filter(({ deviceId, values: { length: bytes } }) => {
        if ((used.get(deviceId) ?? 0) + bytes > DEVICE_BYTES || all + bytes > ALL_BYTES) return false;
        count(deviceId, bytes);
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
        for (const { deviceId, values } of fitting) count(deviceId, -values.length);
        throw error;
      }
    },
    async shift(byMs) {
      await query("UPDATE telemetry_held SET arrived_at = arrived_at + $1 WHERE block = $2", [byMs, block]);
    },
    async releasable() {
      const { rows } = await query<{ id: number; device_id: string; at: number; arrived_at: number; points: string }>(
        `SELECT id, device_id, at, arrived_at, points FROM telemetry_held
         WHERE at <= arrived_at + ${MAX_AHEAD_MS} ORDER BY id LIMIT ${STEP}`,
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
      for (const { deviceId, values } of rows) count(deviceId, -values.length);
    },
    async deleteDevice(deviceId) {
      await query("DELETE FROM telemetry_held WHERE device_id = $1", [deviceId]);
      count(deviceId, -(used.get(deviceId) ?? 0));
    },
  };
}
