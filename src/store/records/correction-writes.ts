import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { type CounterCorrection, MAX_CORRECTIONS } from "#core/energy/counter-correction.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { CORRECTION_COLUMNS } from "./correction-row.ts";
import { marked } from "./link-marks.ts";
import { requireDeviceOwnedHere } from "./require-owned-here.ts";
import { number, text } from "./row.ts";
import { deviceLock, write } from "./write.ts";

export const correctionWrites = {
  insertCorrection: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: { cloud: ({ deviceId }) => marked("device", deviceId), nodes: undefined },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { deviceId, correction, trail }: { deviceId: string; correction: CounterCorrection; trail: AuditEntry },
    ) {
      await requireDeviceOwnedHere(database, deviceId);
      if ((await database.get("SELECT 1 AS found FROM device WHERE id = ?", deviceId)) === undefined) {
        throw refuse("not_found", `there is no device ${deviceId}`);
      }
      const step = "SELECT id FROM counter_correction WHERE device_id = ? AND attribute = ? AND at = ?";
      const known = await database.get(step, deviceId, correction.attribute, correction.at);
      if (known !== undefined) {
        throw refuse("conflict", `the step has the correction ${text(known, "id")} already; withdraw it first`);
      }
      const count = "SELECT count(*) AS total FROM counter_correction WHERE device_id = ?";
      if (number(await database.one(count, deviceId), "total") >= MAX_CORRECTIONS) {
        throw refuse("conflict", `the device has ${MAX_CORRECTIONS} corrections already; withdraw some first`);
      }
      await storeCorrection(database, deviceId, correction);
      await recordAudit(database, trail);
    },
  }),

  deleteCorrection: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: { cloud: ({ deviceId }) => marked("device", deviceId), nodes: undefined },
    fromReserve: true,
    async run(database: WriteDatabase, { deviceId, id, trail }: { deviceId: string; id: string; trail: AuditEntry }) {
      await requireDeviceOwnedHere(database, deviceId);
      const sql = "DELETE FROM counter_correction WHERE device_id = ? AND id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, deviceId, id));
    },
  }),
};

/** The copies that a cloud has: all that the gateway has. */
export async function replaceCorrections(
  database: Database,
  deviceId: string,
  corrections: readonly CounterCorrection[],
): Promise<void> {
  await database.run("DELETE FROM counter_correction WHERE device_id = ?", deviceId);
  for (const correction of corrections) await storeCorrection(database, deviceId, correction);
}

async function storeCorrection(database: Database, deviceId: string, correction: CounterCorrection): Promise<void> {
  const { id, attribute, beforeAt, before, at, value, kind, newStart, note, author, createdAt } = correction;
  await database.run(
    `INSERT INTO counter_correction (${CORRECTION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (device_id, attribute, at) DO NOTHING`,
    deviceId,
    id,
    attribute,
    beforeAt,
    JSON.stringify(before),
    at,
    JSON.stringify(value),
    kind,
    newStart === undefined ? null : JSON.stringify(newStart),
    note ?? null,
    author.tokenId,
    author.name,
    createdAt,
  );
}
