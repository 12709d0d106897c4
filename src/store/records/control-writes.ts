import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Claim } from "#core/control/claim.ts";
import { type ControlRecord, MOST_CLAIMS, MOST_RECORDS } from "#core/control/control-record.ts";
import { NEVER_WRITTEN } from "#core/control/control-writer.ts";
import { controlRecordKey, type LinkedKey } from "#core/link/linked-key.ts";
import type { LinkedControl } from "#core/link/messages.ts";
import type { StoredControl } from "#service/ports/control-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { CLAIM_COLUMNS, claimChecksum, claimValues, fractionText, RECORD_COLUMNS } from "./control-row.ts";
import { marked } from "./link-marks.ts";
import { requireDeviceOwnedHere } from "./require-owned-here.ts";
import { number, optionalNumber, text } from "./row.ts";
import { deviceLock, PRUNE_AT_ONCE, prune, write } from "./write.ts";

export const controlWrites = {
  insertClaim: write({
    locks: ({ claim }) => deviceLock(claim.deviceId),
    informs: { cloud: ({ claim }) => marked("controls", claim.deviceId), nodes: undefined },
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { claim, takesOver, trail }: { claim: Claim; takesOver: boolean; trail: AuditEntry | undefined },
    ): Promise<readonly string[]> {
      const found = await database.get("SELECT 1 AS found FROM device WHERE id = ?", claim.deviceId);
      if (found === undefined) throw refuse("not_found", `there is no device ${claim.deviceId}`);
      await requireDeviceOwnedHere(database, claim.deviceId);
      const ended = await endOthers(database, claim, takesOver);
      const total = await database.one(
        "SELECT count(*) AS total FROM control_claim WHERE device_id = ? AND lease_until > ?",
        claim.deviceId,
        claim.createdAt,
      );
      if (number(total, "total") >= MOST_CLAIMS) {
        throw refuse("conflict", `the device has ${MOST_CLAIMS} claims already; release some first`);
      }
      await storeClaim(database, claim);
      if (trail !== undefined) await recordAudit(database, trail);
      return ended;
    },
  }),

  releaseClaim: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: { cloud: ({ deviceId }) => marked("controls", deviceId), nodes: undefined },
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { deviceId, claimId, trail }: { deviceId: string; claimId: string; trail: AuditEntry },
    ) {
      await requireDeviceOwnedHere(database, deviceId);
      const sql = "DELETE FROM control_claim WHERE device_id = ? AND id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, deviceId, claimId));
    },
  }),

  saveControl: write({
    locks: ({ stored }) => deviceLock(stored.deviceId),
    informs: { cloud: savedKeys, nodes: undefined },
    fromReserve: true,
    async run(database: WriteDatabase, { stored, record, now }: SavedControl): Promise<number | undefined> {
      const { deviceId, control, state } = stored;
      // The device may have been deleted meanwhile, and everything about it with it.
      const device = await database.get("SELECT 1 AS found FROM device WHERE id = ?", deviceId);
      if (device === undefined) return undefined;
      await database.run("DELETE FROM control_claim WHERE device_id = ? AND lease_until <= ?", deviceId, now);
      await storeState(database, { deviceId, control, state });
      return record === undefined ? undefined : await insertRecord(database, deviceId, record);
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

async function storeClaim(database: Database, claim: Claim): Promise<void> {
  await database.run(
    `INSERT INTO control_claim (${CLAIM_COLUMNS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...claimValues(claim),
    claimChecksum(claim),
  );
}

async function storeState(database: Database, { deviceId, control, state }: StoredControl): Promise<void> {
  await database.run(
    `INSERT INTO control_state (device_id, control, state) VALUES (?, ?, ?)
     ON CONFLICT (device_id, control) DO UPDATE SET state = excluded.state`,
    deviceId,
    control,
    JSON.stringify(state),
  );
}

interface SavedControl {
  readonly stored: StoredControl;
  readonly record: ControlRecord | undefined;
  readonly now: number;
  /** Something that others see has changed, not only when it was last repeated. */
  readonly isNews: boolean;
}

function savedKeys({ stored, isNews }: SavedControl, recordedAt: number | undefined): readonly LinkedKey[] {
  const { deviceId } = stored;
  return [
    ...(isNews ? marked("controls", deviceId) : []),
    ...(recordedAt === undefined ? [] : marked("control_record", controlRecordKey({ deviceId, at: recordedAt }))),
  ];
}

/** The copies that a cloud has: all that the gateway has. */
export async function replaceControls(
  database: Database,
  deviceId: string,
  controls: readonly LinkedControl[],
): Promise<void> {
  await database.run("DELETE FROM control_claim WHERE device_id = ?", deviceId);
  await database.run("DELETE FROM control_state WHERE device_id = ?", deviceId);
  for (const { control, claims, isHeld, sent, follow } of controls) {
    for (const claim of claims) await storeClaim(database, { ...claim, deviceId, control });
    await storeState(database, { deviceId, control, state: { ...NEVER_WRITTEN, isHeld, sent, follow } });
  }
}

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

/** Returns its time: those of a device rise. */
async function insertRecord(database: Database, deviceId: string, record: ControlRecord): Promise<number> {
  const newest = await database.one("SELECT max(at) AS at FROM control_history WHERE device_id = ?", deviceId);
  const at = Math.max(record.at, (optionalNumber(newest, "at") ?? 0) + 1);
  await storeRecord(database, deviceId, { ...record, at });
  return at;
}

/** One that is there already stays. */
export async function storeRecord(database: Database, deviceId: string, record: ControlRecord): Promise<void> {
  await database.run(
    `INSERT INTO control_history (device_id, ${RECORD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (device_id, at) DO NOTHING`,
    deviceId,
    record.at,
    record.control,
    fractionText(record.value),
    record.follow,
    fractionText(record.measured),
    record.class ?? null,
    record.source ?? null,
    record.reason ?? null,
    record.cause ?? null,
    record.door ?? null,
  );
  await database.run(
    `DELETE FROM control_history WHERE device_id = ? AND at <= (
       SELECT at FROM control_history WHERE device_id = ? ORDER BY at DESC LIMIT 1 OFFSET ${MOST_RECORDS})`,
    deviceId,
    deviceId,
  );
}
