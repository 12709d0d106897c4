import type { Micros } from "#core/command/execution.ts";
import { logKey } from "#core/link/linked-key.ts";
import type { Instant } from "#core/time/instant.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { Database } from "#store/database.ts";
import { number, optionalNumber, text } from "./row.ts";
import { deviceLock, PRUNE_AT_ONCE, prune, write } from "./write.ts";

/** Bytes that an entry takes in addition to its text. */
const ENTRY_BYTES = 64;

export const deviceLogWrites = {
  appendDeviceLog: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: {
      cloud: ({ deviceId }, stored) =>
        stored.map(({ receivedAt }) => ({ kind: "log", key: logKey({ deviceId, receivedAt }) })),
      nodes: undefined,
    },
    fromReserve: false,
    keepsMemory: true,
    async run(
      database: Database,
      { deviceId, entries, maxBytes }: { deviceId: string; entries: readonly DeviceLogEntry[]; maxBytes: number },
    ) {
      const newest = await database.one("SELECT max(received_at) AS at FROM device_log WHERE device_id = ?", deviceId);
      // Nothing comes before the first entry.
      let last = optionalNumber(newest, "at") ?? 0;
      const stored: DeviceLogEntry[] = [];
      for (const entry of entries) {
        last = Math.max(entry.receivedAt, last + 1);
        const dated = { ...entry, receivedAt: last as Micros };
        await insertLogEntry(database, deviceId, dated);
        stored.push(dated);
      }
      for (const persist of new Set(entries.map((entry) => entry.persist))) {
        await dropOldest(database, { deviceId, persist: persist ? 1 : 0, maxBytes });
      }
      return stored;
    },
  }),

  pruneDeviceLogs: prune(
    "device logs",
    async (
      database: Database,
      { persistedBefore, temporaryBefore }: { persistedBefore: Instant; temporaryBefore: Instant },
    ) => {
      const drop = async (persist: 0 | 1, before: Instant): Promise<number> => {
        const rows = await database.all(
          `DELETE FROM device_log WHERE (device_id, received_at) IN (
           SELECT device_id, received_at FROM device_log WHERE persist = ? AND received_at < ? LIMIT ?)
         RETURNING device_id, octet_length(message) + ${ENTRY_BYTES} AS bytes`,
          persist,
          before * 1000,
          PRUNE_AT_ONCE,
        );
        for (const row of rows) await shrink(database, text(row, "device_id"), { persist, by: number(row, "bytes") });
        return rows.length;
      };
      return (await drop(0, temporaryBefore)) + (await drop(1, persistedBefore));
    },
  ),
};

export async function insertLogEntry(database: Database, deviceId: string, entry: DeviceLogEntry): Promise<void> {
  await database.run(
    `INSERT INTO device_log (device_id, received_at, taken_at, severity, message, persist) VALUES (?, ?, ?, ?, ?, ?)`,
    deviceId,
    entry.receivedAt,
    entry.takenAt,
    entry.severity,
    entry.message,
    entry.persist ? 1 : 0,
  );
  await database.run(
    `INSERT INTO device_log_size (device_id, persist, bytes) VALUES (?, ?, ?)
     ON CONFLICT (device_id, persist) DO UPDATE SET bytes = device_log_size.bytes + excluded.bytes`,
    deviceId,
    entry.persist ? 1 : 0,
    Buffer.byteLength(entry.message) + ENTRY_BYTES,
  );
}

interface Kind {
  readonly deviceId: string;
  readonly persist: 0 | 1;
  readonly maxBytes: number;
}

/** The oldest entries make room for the newest. */
export async function dropOldest(database: Database, { deviceId, persist, maxBytes }: Kind): Promise<void> {
  const size = await database.get(
    "SELECT bytes FROM device_log_size WHERE device_id = ? AND persist = ?",
    deviceId,
    persist,
  );
  let excess = (size === undefined ? 0 : number(size, "bytes")) - maxBytes;
  while (excess > 0) {
    const [dropped] = await database.all(
      `DELETE FROM device_log WHERE device_id = ? AND received_at = (
         SELECT received_at FROM device_log WHERE device_id = ? AND persist = ? ORDER BY received_at LIMIT 1)
       RETURNING octet_length(message) + ${ENTRY_BYTES} AS bytes`,
      deviceId,
      deviceId,
      persist,
    );
    if (dropped === undefined) return;
    const by = number(dropped, "bytes");
    await shrink(database, deviceId, { persist, by });
    excess -= by;
  }
}

async function shrink(
  database: Database,
  deviceId: string,
  { persist, by }: { persist: 0 | 1; by: number },
): Promise<void> {
  await database.run(
    "UPDATE device_log_size SET bytes = bytes - ? WHERE device_id = ? AND persist = ?",
    by,
    deviceId,
    persist,
  );
}
