import type { AuditEntry } from "#core/access/audit-entry.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { Acknowledgement } from "#core/alert/acknowledgement.ts";
import { MAX_PAST_ALERTS } from "#core/alert/alert-limits.ts";
import type { AlertChange } from "#core/alert/alert-state.ts";
import { refuse } from "#core/app-error.ts";
import { type AlertName, alertKey } from "#core/link/linked-key.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AlertAnnouncement, AlertRecord } from "#service/ports/alert-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { ALERT_COLUMNS } from "./alert-row.ts";
import { recordAudit } from "./audit-writes.ts";
import { addEvent } from "./event-writes.ts";
import { watchChanges } from "./message-writes.ts";
import { number, text } from "./row.ts";
import { enqueueNotices } from "./webhook-writes.ts";
import { deviceLock, NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

export const alertWrites = {
  recordAlerts: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: {
      cloud: ({ deviceId, changes }) =>
        changes.map(({ alert }) => ({ kind: "alert", key: alertKey({ ...alert, deviceId }) })),
      nodes: undefined,
    },
    fromReserve: false,
    keepsMemory: true,
    async run(
      database: WriteDatabase,
      {
        deviceId,
        changes,
        announced,
      }: { deviceId: string; changes: readonly AlertChange[]; announced: AlertAnnouncement },
    ) {
      const device = await database.get("SELECT site_id FROM device WHERE id = ?", deviceId);
      if (device === undefined) return false;
      await refuseOutdated(database, deviceId, changes);
      for (const change of changes) {
        const place = { deviceId, siteId: text(device, "site_id"), clearedAt: undefined };
        if (change.kind === "raised") await insert(database, { ...change.alert, ...place });
        else await update(database, change, deviceId);
      }
      if (changes.some(({ kind }) => kind === "cleared")) await forgetOldest(database, deviceId);
      await announce(database, announced);
      const news = changes.filter(({ kind }) => kind !== "updated");
      const watched = news.map(({ alert }) => ({ id: alertKey({ ...alert, deviceId }), deviceId }));
      await watchChanges(database, text(device, "site_id"), watched);
      return true;
    },
  }),

  acknowledgeAlerts: write({
    locks: ({ names }) => names.slice(0, 1).flatMap(({ deviceId }) => deviceLock(deviceId)),
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(
      database: WriteDatabase,
      {
        names,
        acknowledgement,
        done,
      }: {
        names: readonly AlertName[];
        acknowledgement: Acknowledgement | undefined;
        done: { announced: AlertAnnouncement; trail: AuditEntry };
      },
    ): Promise<boolean> {
      let changed = 0;
      for (const name of names)
        changed += await setAcknowledgement(database, { name, acknowledgement, isActive: true });
      if (changed === 0) return false;
      await announce(database, done.announced);
      await watchAcknowledged(database, names);
      await recordAudit(database, done.trail);
      return true;
    },
  }),

  copyAcknowledgement: write({
    locks: ({ name }) => deviceLock(name.deviceId),
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(
      database: Database,
      { name, acknowledgement }: { name: AlertName; acknowledgement: Acknowledgement | undefined },
    ) {
      await setAcknowledgement(database, { name, acknowledgement, isActive: false });
    },
  }),

  pruneAlerts: prune("alerts", async (database: Database, { before }: { before: Instant }) => {
    return await database.run(
      `DELETE FROM alert WHERE (device_id, source, alert_id, raised_at) IN
       (SELECT device_id, source, alert_id, raised_at FROM alert WHERE cleared_at < ? ORDER BY cleared_at LIMIT ?)`,
      before,
      PRUNE_AT_ONCE,
    );
  }),
};

/**
 * Several nodes may take the same report, or reports of one device that contradict each other. Each decides by the alerts
 * that it knows, so what it decided does not count when another node was first.
 */
async function refuseOutdated(database: Database, deviceId: string, changes: readonly AlertChange[]): Promise<void> {
  const rows = await database.all(
    "SELECT source, alert_id, raised_at, hardened_at FROM alert WHERE device_id = ? AND cleared_at IS NULL",
    deviceId,
  );
  const active = new Map(
    rows.map((row) => [
      `${text(row, "source")} ${text(row, "alert_id")}`,
      { raisedAt: number(row, "raised_at"), isHard: row["hardened_at"] !== null },
    ]),
  );
  for (const { kind, alert } of changes) {
    const key = `${alert.source} ${alert.alertId}`;
    const known = active.get(key);
    const isSame = known?.raisedAt === alert.raisedAt;
    const isOutdated =
      kind === "raised" ? known !== undefined : !isSame || (kind === "hardened" && known?.isHard === true);
    if (isOutdated) throw refuse("conflict", "the alerts of the device have changed meanwhile");
    if (kind === "cleared") active.delete(key);
    else active.set(key, { raisedAt: alert.raisedAt, isHard: alert.isHard });
  }
}

async function setAcknowledgement(
  database: Database,
  given: {
    readonly name: AlertName;
    readonly acknowledgement: Acknowledgement | undefined;
    /** Only of an alert that is active. */
    readonly isActive: boolean;
  },
): Promise<number> {
  const { deviceId, source, alertId, raisedAt } = given.name;
  const { at, by, comment, door } = given.acknowledgement ?? {};
  return await database.run(
    `UPDATE alert SET acknowledged_at = ?, acknowledged_by = ?, acknowledged_name = ?, acknowledged_comment = ?, acknowledged_door = ?
     WHERE device_id = ? AND source = ? AND alert_id = ? AND raised_at = ?${given.isActive ? " AND cleared_at IS NULL" : ""}`,
    at ?? null,
    by?.tokenId ?? null,
    by?.name ?? null,
    comment ?? null,
    door ?? null,
    deviceId,
    source,
    alertId,
    raisedAt,
  );
}

async function watchAcknowledged(database: Database, names: readonly AlertName[]): Promise<void> {
  const [first] = names;
  if (first === undefined) return;
  const device = await database.get("SELECT site_id FROM device WHERE id = ?", first.deviceId);
  if (device === undefined) return;
  const watched = names.map((name) => ({ id: alertKey(name), deviceId: name.deviceId }));
  await watchChanges(database, text(device, "site_id"), watched);
}

export async function announce(database: WriteDatabase, { events, notices }: AlertAnnouncement): Promise<void> {
  for (const event of events) await addEvent(database, event);
  await enqueueNotices(database, notices);
}

/** The alert as a whole, whatever was known of it. */
export async function storeAlert(database: Database, alert: AlertRecord): Promise<void> {
  await insert(database, alert);
  if (alert.clearedAt !== undefined) await forgetOldest(database, alert.deviceId);
}

/** An alert that is raised, cleared and raised again in one moment counts as one alert. */
async function insert(database: Database, alert: Omit<AlertRecord, "acknowledgement">): Promise<void> {
  await database.run(
    `INSERT INTO alert (${ALERT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (device_id, source, alert_id, raised_at) DO UPDATE SET
       severity = excluded.severity, read_level = excluded.read_level,
       blueprint_id = excluded.blueprint_id, hardens_at = excluded.hardens_at, hardened_at = excluded.hardened_at,
       cleared_at = excluded.cleared_at, not_confirmed_since = excluded.not_confirmed_since, details = excluded.details`,
    alert.deviceId,
    alert.source,
    alert.alertId,
    alert.raisedAt,
    alert.siteId,
    alert.blueprintId ?? null,
    alert.severity,
    ACCESS_LEVELS.indexOf(alert.readLevel),
    alert.hardensAt,
    alert.isHard ? alert.hardensAt : null,
    alert.clearedAt ?? null,
    alert.notConfirmedSince ?? null,
    alert.details ?? null,
  );
}

async function update(database: Database, { kind, at, alert }: AlertChange, deviceId: string): Promise<void> {
  await database.run(
    `UPDATE alert SET hardened_at = ?, cleared_at = ?, not_confirmed_since = ?, details = ?
     WHERE device_id = ? AND source = ? AND alert_id = ? AND raised_at = ?`,
    alert.isHard ? alert.hardensAt : null,
    kind === "cleared" ? at : null,
    alert.notConfirmedSince ?? null,
    alert.details ?? null,
    deviceId,
    alert.source,
    alert.alertId,
    alert.raisedAt,
  );
}

async function forgetOldest(database: Database, deviceId: string): Promise<void> {
  await database.run(
    `DELETE FROM alert WHERE device_id = ? AND cleared_at IS NOT NULL AND raised_at <=
     (SELECT raised_at FROM alert WHERE device_id = ? AND cleared_at IS NOT NULL ORDER BY raised_at DESC LIMIT 1 OFFSET ?)`,
    deviceId,
    deviceId,
    MAX_PAST_ALERTS,
  );
}
