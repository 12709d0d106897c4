import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Claim } from "#core/control/claim.ts";
import { type ControlRecord, MOST_CLAIMS, MOST_RECORDS } from "#core/control/control-record.ts";
import type { StoredControl } from "#service/ports/control-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { CLAIM_COLUMNS, fractionText, RECORD_COLUMNS } from "./control-row.ts";
import { number, optionalNumber, text } from "./row.ts";
import { deviceLock, NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

export const controlWrites = {
  insertClaim: write({
    locks: ({ claim }) => deviceLock(claim.deviceId),
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { claim, takesOver, trail }: { claim: Claim; takesOver: boolean; trail: AuditEntry | undefined },
    ): Promise<readonly string[]> {
      const found = await database.get("SELECT 1 AS found FROM device WHERE id = ?", claim.deviceId);
      if (found === undefined) throw refuse("not_found", `there is no device ${claim.deviceId}`);
      const ended = await endOthers(database, claim, takesOver);
      const total = await database.one(
        "SELECT count(*) AS total FROM control_claim WHERE device_id = ? AND lease_until > ?",
        claim.deviceId,
        claim.createdAt,
      );
      if (number(total, "total") >= MOST_CLAIMS) {
        throw refuse("conflict", `the device has ${MOST_CLAIMS} claims already; release some first`);
      }
      await database.run(
        `INSERT INTO control_claim (${CLAIM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        claim.id,
        claim.deviceId,
        claim.control,
        claim.kind,
        claim.value === null ? null : String(claim.value),
        claim.class,
        claim.source,
        claim.reason,
        claim.leaseUntil,
        claim.createdAt,
        claim.cause ?? null,
      );
      if (trail !== undefined) await recordAudit(database, trail);
      return ended;
    },
  }),

  releaseClaim: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { deviceId, claimId, trail }: { deviceId: string; claimId: string; trail: AuditEntry },
    ) {
      const sql = "DELETE FROM control_claim WHERE device_id = ? AND id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, deviceId, claimId));
    },
  }),

  saveControl: write({
    locks: ({ stored }) => deviceLock(stored.deviceId),
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { stored, record, now }: { stored: StoredControl; record: ControlRecord | undefined; now: number },
    ): Promise<void> {
      const { deviceId, control, state } = stored;
      // The device may have been deleted meanwhile, and everything about it with it.
      const device = await database.get("SELECT 1 AS found FROM device WHERE id = ?", deviceId);
      if (device === undefined) return;
      await database.run("DELETE FROM control_claim WHERE device_id = ? AND lease_until <= ?", deviceId, now);
      await database.run(
        `INSERT INTO control_state (device_id, control, state) VALUES (?, ?, ?)
         ON CONFLICT (device_id, control) DO UPDATE SET state = excluded.state`,
        deviceId,
        control,
        JSON.stringify(state),
      );
      if (record !== undefined) await insertRecord(database, deviceId, record);
    },
  }),

  pruneControlHistory: prune("control history", async (database: Database, { before }: { before: number }) => {
    const rows = await database.all(
      `DELETE FROM control_history WHERE (device_id, at) IN (
         SELECT device_id, at FROM control_history WHERE at < ? LIMIT ?) RETURNING at`,
      before * 1000,
      PRUNE_AT_ONCE,
    );
    return rows.length;
  }),
};

/** A source has one claim of a kind. Who takes over ends the targets of its class. */
async function endOthers(database: Database, claim: Claim, takesOver: boolean): Promise<readonly string[]> {
  const own = "control = ? AND kind = ? AND source = ?";
  const rows = await database.all(
    `DELETE FROM control_claim WHERE device_id = ? AND ((${own}) OR (control = ? AND kind = 'target' AND class = ?))
     RETURNING id`,
    claim.deviceId,
    claim.control,
    claim.kind,
    claim.source,
    claim.control,
    takesOver && claim.kind === "target" ? claim.class : "nobody",
  );
  return rows.map((row) => text(row, "id"));
}

async function insertRecord(database: Database, deviceId: string, record: ControlRecord): Promise<void> {
  const newest = await database.one("SELECT max(at) AS at FROM control_history WHERE device_id = ?", deviceId);
  const at = Math.max(record.at, (optionalNumber(newest, "at") ?? 0) + 1);
  await database.run(
    `INSERT INTO control_history (device_id, ${RECORD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    deviceId,
    at,
    record.control,
    fractionText(record.value),
    record.follow,
    fractionText(record.measured),
    record.class ?? null,
    record.source ?? null,
    record.reason ?? null,
    record.cause ?? null,
  );
  await database.run(
    `DELETE FROM control_history WHERE device_id = ? AND at <= (
       SELECT at FROM control_history WHERE device_id = ? ORDER BY at DESC LIMIT 1 OFFSET ${MOST_RECORDS})`,
    deviceId,
    deviceId,
  );
}
