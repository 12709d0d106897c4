import type { AuditEntry } from "#core/access/audit-entry.ts";
import { type Rollout, type RolloutDevice, rolloutRequest } from "#core/rollout/rollout.ts";
import type { Instant } from "#core/time/instant.ts";
import type { RolloutDeviceChange, RolloutTurn } from "#service/ports/rollout-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { withdrawRolloutChanges } from "./change-writes.ts";
import { findRollout, IS_AWAY, ROLLOUT_COLUMNS, ROLLOUT_DEVICE_COLUMNS } from "./rollout-row.ts";
import { listed, text } from "./row.ts";
import { NOBODY, write } from "./write.ts";

export const rolloutWrites = {
  insertRollout: write({
    locks: ({ rollout }) => [`rollout ${rollout.id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      input: { rollout: Rollout; devices: readonly RolloutDevice[]; trail: AuditEntry },
    ) {
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
  }),

  turnRollout: write({
    locks: ({ id }, reader) => withPendingChanges(reader, id),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { id, turn, trail }: { id: string; turn: RolloutTurn; trail: AuditEntry | undefined },
    ) {
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
  }),

  beginRolloutStage: write({
    locks: ({ id }) => [`rollout ${id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { id, stage, at }: { id: string; stage: number; at: Instant }) {
      await database.run("UPDATE rollout SET stage = ?, updated_at = ? WHERE id = ?", stage, at, id);
    },
  }),

  putRolloutDevices: write({
    locks: ({ id, changes }, reader) =>
      changes.some(({ to }) => isLeftOut(to)) ? withPendingChanges(reader, id) : [`rollout ${id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { id, changes }: { id: string; changes: readonly RolloutDeviceChange[] }) {
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
  }),
};

/** A roll-out and what waits of it. What is asked for after this read has the lock of the roll-out, too. */
async function withPendingChanges(reader: Database, id: string): Promise<readonly string[]> {
  const rows = await reader.all(
    "SELECT id FROM gateway_change WHERE request_id = ? AND state = 'PENDING'",
    rolloutRequest(id),
  );
  return [`rollout ${id}`, ...rows.map((row) => `change ${text(row, "id")}`)];
}

/** It gets nothing of the roll-out any more. */
const isLeftOut = ({ state }: RolloutDevice): boolean => state === "FAILED" || state === "SKIPPED";

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
