import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Rollout, RolloutDevice } from "#core/rollout/rollout.ts";
import type { Instant } from "#core/time/instant.ts";
import type { RolloutDeviceChange, RolloutTurn } from "#service/ports/rollout-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { withdrawRolloutChanges } from "./change-writes.ts";
import { findRollout, IS_AWAY, ROLLOUT_COLUMNS, ROLLOUT_DEVICE_COLUMNS } from "./rollout-row.ts";
import { listed, text } from "./row.ts";

export const rolloutWrites = {
  async insertRollout(
    database: WriteDatabase,
    input: { rollout: Rollout; devices: readonly RolloutDevice[]; trail: AuditEntry },
  ): Promise<void> {
    const { rollout, devices, trail } = input;
    await database.run(
      `INSERT INTO rollout (${ROLLOUT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      rollout.id,
      rollout.name,
      rollout.blueprintId,
      JSON.stringify(rollout.stages),
      rollout.watchMs,
      rollout.timeoutMs,
      rollout.maxFailures,
      rollout.state,
      rollout.reason ?? null,
      rollout.stage,
      rollout.tolerated,
      rollout.createdBy.tokenId,
      rollout.createdBy.tokenName,
      rollout.createdAt,
      rollout.updatedAt,
    );
    for (const device of devices) await insertDevice(database, rollout.id, device);
    await recordAudit(database, trail);
  },

  async turnRollout(
    database: WriteDatabase,
    { id, turn, trail }: { id: string; turn: RolloutTurn; trail: AuditEntry | undefined },
  ): Promise<Rollout | undefined> {
    const { from, to, reason, at, tolerates = false, skipsAway = false } = turn;
    const failed = "(SELECT count(*) FROM rollout_device WHERE rollout_id = ? AND state = 'FAILED')";
    const changed = await database.run(
      `UPDATE rollout SET state = ?, reason = ?, updated_at = ?, tolerated = ${tolerates ? failed : "tolerated"}
       WHERE id = ? AND state IN (SELECT value FROM json_each(?))`,
      to,
      reason ?? null,
      at,
      ...(tolerates ? [id] : []),
      id,
      listed(from),
    );
    if (changed === 0) return undefined;
    if (to !== "RUNNING") await stopAssigning(database, { id, at, isAborted: to === "ABORTED" });
    if (skipsAway) await skipAway(database, { id, at });
    if (trail !== undefined) await recordAudit(database, trail);
    return await findRollout(database, id);
  },

  async beginRolloutStage(
    database: Database,
    { id, stage, at }: { id: string; stage: number; at: Instant },
  ): Promise<void> {
    await database.run("UPDATE rollout SET stage = ?, updated_at = ? WHERE id = ?", stage, at, id);
  },

  async putRolloutDevices(
    database: Database,
    { id, changes }: { id: string; changes: readonly RolloutDeviceChange[] },
  ): Promise<boolean> {
    if ((await database.get("SELECT id FROM rollout WHERE id = ? AND state = 'RUNNING'", id)) === undefined)
      return false;
    for (const { from, to } of changes) {
      const changed = await database.run(
        `UPDATE rollout_device SET state = ?, since = ?, reason = ?, was_online = ?, alert_before = ?, log_before = ?
         WHERE rollout_id = ? AND device_id = ? AND state = ? AND since = ?`,
        to.state,
        to.since,
        to.reason ?? null,
        to.wasOnline ? 1 : 0,
        to.before?.alertAt ?? null,
        to.before?.logAt ?? null,
        id,
        to.deviceId,
        from.state,
        from.since,
      );
      if (changed > 0 && isLeftOut(to)) {
        await withdrawRolloutChanges(database, { id, at: to.since, deviceIds: [to.deviceId] });
      }
    }
    return true;
  },
};

/** It gets nothing of the roll-out any more. */
export const isLeftOut = ({ state }: RolloutDevice): boolean => state === "FAILED" || state === "SKIPPED";

/** What no gateway was handed over is withdrawn. Devices that may have got the blueprint nevertheless are known by having it. */
async function stopAssigning(
  database: Database,
  { id, at, isAborted }: { id: string; at: Instant; isAborted: boolean },
): Promise<void> {
  await withdrawRolloutChanges(database, { id, at });
  await database.run(
    "UPDATE rollout_device SET state = ?, since = ?, reason = ? WHERE rollout_id = ? AND state = 'ASSIGNING'",
    isAborted ? "SKIPPED" : "WAITING",
    at,
    isAborted ? "the roll-out was aborted before the device had the blueprint" : null,
    id,
  );
}

async function skipAway(database: Database, { id, at }: { id: string; at: Instant }): Promise<void> {
  const rows = await database.all(
    `UPDATE rollout_device SET state = 'SKIPPED', since = ?, reason = 'its gateway was away'
     WHERE rollout_id = ? AND state IN ('WAITING', 'ASSIGNING', 'WATCHED') AND stage = (SELECT stage FROM rollout WHERE id = ?) AND ${IS_AWAY}
     RETURNING device_id`,
    at,
    id,
    id,
  );
  await withdrawRolloutChanges(database, { id, at, deviceIds: rows.map((row) => text(row, "device_id")) });
}

async function insertDevice(database: Database, id: string, device: RolloutDevice): Promise<void> {
  await database.run(
    `INSERT INTO rollout_device (rollout_id, ${ROLLOUT_DEVICE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    device.deviceId,
    device.siteId,
    device.stage,
    device.state,
    device.since,
    device.reason ?? null,
    device.formerBlueprintId ?? null,
    device.wasOnline ? 1 : 0,
    device.before?.alertAt ?? null,
    device.before?.logAt ?? null,
  );
}
