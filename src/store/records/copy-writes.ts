import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import type { Device, PropertyValue } from "#core/device/device.ts";
import type { CounterCorrection } from "#core/energy/counter-correction.ts";
import type { PriceDay } from "#core/energy/price-days.ts";
import { deviceEvent } from "#core/event/event.ts";
import type { InterlockKey, PricesName, RuleKey, VariableKey } from "#core/link/linked-key.ts";
import type {
  LinkedControl,
  LinkedInterlock,
  LinkedRule,
  LinkedRuleEngine,
  LinkedTariff,
  LinkedVariable,
} from "#core/link/messages.ts";
import { MOST_NOTIFICATIONS_PER_MINUTE, type Notification } from "#core/notification/notification.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import type { Site } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AlertAnnouncement, AlertRecord } from "#service/ports/alert-store.ts";
import type { ConfigurationChange } from "#service/ports/configuration-store.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { CopiedSite } from "#service/ports/link-store.ts";
import type { Database, Row, WriteDatabase } from "#store/database.ts";
import { announce, storeAlert } from "./alert-writes.ts";
import { mergeAudit } from "./audit-writes.ts";
import { refuseChanges } from "./change-writes.ts";
import { storeBuckets } from "./configuration-writes.ts";
import { replaceControls, storeRecord } from "./control-writes.ts";
import { replaceCorrections } from "./correction-writes.ts";
import { noteNumbersOf } from "./deleted-number.ts";
import { dropOldest, insertLogEntry } from "./device-log-writes.ts";
import { deviceValues, findDevice, REPLACE_DEVICE } from "./device-row.ts";
import { addEvent } from "./event-writes.ts";
import { requireRoom, storeInterlock } from "./interlock-writes.ts";
import { storeNotification } from "./notification-writes.ts";
import { replacePriceSources } from "./price-source-writes.ts";
import { number, optionalText } from "./row.ts";
import { storeVariable } from "./rule-script-writes.ts";
import { removeRule, replaceRule, storeEngineState, storeReport } from "./rule-writes.ts";
import { renderLocation } from "./site-writes.ts";
import { storeDay, storeTariff } from "./tariff-writes.ts";
import { deviceLock, NOBODY, treeLocks, write } from "./write.ts";

/** Copies of what gateways own. */
export const copyWrites = {
  /** A site changes its gateway only by the word of a person, which is in `site_grant`. */
  copySite: write({
    locks: ({ site }) => [`site ${site.id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, site, at }: { gatewayId: string; site: Site; at: Instant },
    ): Promise<CopiedSite> {
      const here = await database.get(OWNER, site.id);
      const owner = here && optionalText(here, "gateway_id");
      const isOthers = here !== undefined && owner !== gatewayId;
      if (isOthers && (owner === undefined || !(await useGrant(database, gatewayId, site.id)))) {
        return { isRefused: true, formerOwner: undefined };
      }
      await database.run(
        `INSERT INTO site (id, name, timezone, location, created_at, updated_at, gateway_id) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone, location = excluded.location,
           updated_at = excluded.updated_at, gateway_id = excluded.gateway_id`,
        site.id,
        site.name,
        site.timezone,
        renderLocation(site.location),
        site.createdAt,
        site.updatedAt,
        gatewayId,
      );
      if (!isOthers || owner === undefined) return { isRefused: false, formerOwner: undefined };
      const reason = "the site has another gateway now; ask for it again";
      await refuseChanges(database, { gatewayId: owner, siteId: site.id, at, reason });
      return { isRefused: false, formerOwner: owner };
    },
  }),

  copyDevice: write({
    locks: ({ device: { id } }) => treeLocks(id),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      {
        gatewayId,
        device,
        corrections,
      }: { gatewayId: string; device: Device; corrections: readonly CounterCorrection[] },
    ) {
      await requireOwner(database, gatewayId, device.siteId);
      const before = await findDevice(database, device.id);
      if (before !== undefined) await requireOwner(database, gatewayId, before.siteId);
      // Commands of a child go over its parent.
      if (device.parentId !== undefined) await requireDeviceOwner(database, gatewayId, device.parentId);
      // Two devices of the gateway may have exchanged their slugs. The other one's new slug is still to come.
      await database.run(
        "UPDATE device SET slug = slug || '-' || id WHERE site_id = ? AND slug = ? AND id <> ?",
        device.siteId,
        device.slug,
        device.id,
      );
      await database.run(REPLACE_DEVICE, ...deviceValues(device));
      await replaceCorrections(database, device.id, corrections);
      // Other nodes read it again when they hear of it. Its time does not show whether it changed: a clock may repeat it.
      if (before !== undefined && `${deviceValues(before)}` === `${deviceValues(device)}`) return;
      await addEvent(database, deviceEvent(device, before === undefined ? "created" : "updated", device.updatedAt));
    },
  }),

  copyProperties: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: Database,
      { gatewayId, deviceId, values }: { gatewayId: string; deviceId: string; values: readonly PropertyValue[] },
    ) {
      await requireDeviceOwner(database, gatewayId, deviceId);
      await database.run("DELETE FROM device_property WHERE device_id = ?", deviceId);
      for (const { name, value, receivedAt } of values) {
        await database.run(
          "INSERT INTO device_property (device_id, name, value, received_at) VALUES (?, ?, ?, ?)",
          deviceId,
          name,
          JSON.stringify(value),
          receivedAt,
        );
      }
    },
  }),

  copyControls: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, deviceId, controls }: { gatewayId: string; deviceId: string; controls: readonly LinkedControl[] },
    ) {
      await requireDeviceOwner(database, gatewayId, deviceId);
      await replaceControls(database, deviceId, controls);
    },
  }),

  copyControlRecord: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, deviceId, record }: { gatewayId: string; deviceId: string; record: ControlRecord },
    ) {
      await requireDeviceOwner(database, gatewayId, deviceId);
      await storeRecord(database, deviceId, record);
    },
  }),

  copyInterlock: write({
    locks: ({ name: { siteId } }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, name, interlock }: { gatewayId: string; name: InterlockKey; interlock: LinkedInterlock | null },
    ) {
      const { siteId } = name;
      await requireOwner(database, gatewayId, siteId);
      const sql = "DELETE FROM site_interlock WHERE site_id = ? AND name = ?";
      await database.run(sql, siteId, name.name);
      if (interlock === null) return;
      await requireRoom(database, siteId);
      await storeInterlock(database, { ...interlock, ...name, devices: {} });
    },
  }),

  copyRuleEngine: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, siteId, engine }: { gatewayId: string; siteId: string; engine: LinkedRuleEngine },
    ) {
      await requireOwner(database, gatewayId, siteId);
      await storeEngineState(database, siteId, engine.state);
    },
  }),

  copyRule: write({
    locks: ({ name: { siteId } }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, name, rule }: { gatewayId: string; name: RuleKey; rule: LinkedRule | null },
    ) {
      await requireOwner(database, gatewayId, name.siteId);
      if (rule === null) await removeRule(database, name);
      else await replaceRule(database, { ...rule, ...name });
    },
  }),

  copyRuleReport: write({
    locks: ({ name: { siteId } }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, name, report }: { gatewayId: string; name: RuleKey; report: RuleReport | null },
    ) {
      await requireOwner(database, gatewayId, name.siteId);
      await storeReport(database, name, report ?? undefined);
    },
  }),

  copyVariable: write({
    locks: ({ name: { siteId } }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, name, variable }: { gatewayId: string; name: VariableKey; variable: LinkedVariable | null },
    ) {
      await requireOwner(database, gatewayId, name.siteId);
      if (variable !== null) return await storeVariable(database, name.siteId, { ...variable, name: name.name });
      await database.run("DELETE FROM site_variable WHERE site_id = ? AND name = ?", name.siteId, name.name);
    },
  }),

  copyTariff: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, siteId, tariff }: { gatewayId: string; siteId: string; tariff: LinkedTariff | null },
    ) {
      await requireOwner(database, gatewayId, siteId);
      const { document, updatedAt, sources } = tariff ?? { sources: [] };
      if (document === undefined || updatedAt === undefined) {
        await database.run("DELETE FROM site_tariff WHERE site_id = ?", siteId);
      } else await storeTariff(database, siteId, { document, updatedAt });
      await replacePriceSources(database, siteId, sources);
    },
  }),

  copyPrices: write({
    locks: ({ name }) => [`prices ${name.siteId} ${name.kind}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, name, day }: { gatewayId: string; name: PricesName; day: PriceDay | null },
    ) {
      await requireOwner(database, gatewayId, name.siteId);
      await storeDay(database, name, day);
    },
  }),

  deleteCopiedDevice: write({
    locks: ({ deviceId }) => treeLocks(deviceId),
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { gatewayId, deviceId, at }: { gatewayId: string; deviceId: string; at: Instant },
    ) {
      const device = await findDevice(database, deviceId);
      if (device === undefined) return;
      await requireOwner(database, gatewayId, device.siteId);
      await database.run("UPDATE device SET parent_id = NULL WHERE parent_id = ?", deviceId);
      await noteNumbersOf(database, deviceId);
      await database.run("DELETE FROM device WHERE id = ?", deviceId);
      await addEvent(database, deviceEvent(device, "deleted", at));
    },
  }),

  deleteCopiedSite: write({
    locks: ({ siteId }) => ["device tree", `site ${siteId}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { gatewayId, siteId }: { gatewayId: string; siteId: string }) {
      if ((await database.get("SELECT 1 AS found FROM site WHERE id = ?", siteId)) === undefined) return;
      await requireOwner(database, gatewayId, siteId);
      await database.run("DELETE FROM site WHERE id = ?", siteId);
    },
  }),

  copyConfiguration: write({
    locks: ({ change }) => deviceLock(change.deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { gatewayId, change }: { gatewayId: string; change: ConfigurationChange }) {
      await requireDeviceOwner(database, gatewayId, change.deviceId);
      await database.run("DELETE FROM device_configuration WHERE device_id = ?", change.deviceId);
      await storeBuckets(database, change);
      for (const event of change.events) await addEvent(database, event);
    },
  }),

  copyAlert: write({
    locks: ({ alert }) => deviceLock(alert.deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, alert, announced }: { gatewayId: string; alert: AlertRecord; announced: AlertAnnouncement },
    ) {
      await requireDeviceOwner(database, gatewayId, alert.deviceId);
      await storeAlert(database, alert);
      await announce(database, announced);
    },
  }),

  copyLogEntry: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: Database,
      {
        gatewayId,
        deviceId,
        entry,
        maxBytes,
      }: { gatewayId: string; deviceId: string; entry: DeviceLogEntry; maxBytes: number },
    ) {
      await requireDeviceOwner(database, gatewayId, deviceId);
      const known = "SELECT 1 AS found FROM device_log WHERE device_id = ? AND received_at = ?";
      if ((await database.get(known, deviceId, entry.receivedAt)) !== undefined) return false;
      await insertLogEntry(database, deviceId, entry);
      await dropOldest(database, { deviceId, persist: entry.persist ? 1 : 0, maxBytes });
      return (await database.get(known, deviceId, entry.receivedAt)) !== undefined;
    },
  }),

  copyNotification: write({
    locks: ({ notification }) => [`site ${notification.siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      {
        gatewayId,
        notification,
        announced,
      }: { gatewayId: string; notification: Notification; announced: AlertAnnouncement },
    ): Promise<boolean> {
      const { id, siteId, at } = notification;
      await requireOwner(database, gatewayId, siteId);
      const known = await database.get("SELECT site_id FROM notification WHERE id = ?", id);
      if (known !== undefined && known["site_id"] !== siteId) {
        throw refuse("conflict", `the notification ${id} is of another site`);
      }
      if (known !== undefined) return false;
      const within = "SELECT count(*) AS total FROM notification WHERE site_id = ? AND at > ? AND at <= ?";
      if (number(await database.one(within, siteId, at - MINUTE_MS, at), "total") >= MOST_IN_A_MINUTE) {
        throw refuse("conflict", `the site has more than ${MOST_IN_A_MINUTE} notifications within a minute`);
      }
      await storeNotification(database, notification, undefined);
      await database.run(
        `DELETE FROM notification WHERE site_id = ? AND (at, id) < (SELECT at, id FROM notification
         WHERE site_id = ? ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${MOST_NOTIFICATIONS - 1})`,
        siteId,
        siteId,
      );
      // One that is older than all that are kept is no news: it may have been here before.
      if ((await database.get("SELECT 1 AS found FROM notification WHERE id = ?", id)) === undefined) return false;
      await announce(database, announced);
      return true;
    },
  }),

  copyAuditEntry: write({
    locks: ({ entry }) => [`audit ${entry.id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: WriteDatabase, { gatewayId, entry }: { gatewayId: string; entry: AuditEntry }) {
      const { siteId, deviceId } = entry.target;
      const [site, device, known] = await Promise.all([
        siteId === undefined ? undefined : database.get(OWNER, siteId),
        deviceId === undefined ? undefined : findDevice(database, deviceId),
        database.get("SELECT reported_by FROM audit WHERE id = ?", entry.id),
      ]);
      // Of a site or device that is deleted the entry still says who did it.
      if (siteId !== undefined && site !== undefined) requireSameOwner(site, gatewayId, siteId);
      if (device !== undefined) await requireOwner(database, gatewayId, device.siteId);
      const writer = known === undefined ? gatewayId : optionalText(known, "reported_by");
      if (writer === undefined) throw refuse("conflict", `audit entry ${entry.id} was written by the cloud`);
      // A gateway that joins again sends what the former one has sent. That stays as it is.
      if (writer !== gatewayId) return;
      mergeAudit(database, { ...entry, reportedBy: gatewayId });
    },
  }),
};

const MINUTE_MS = 60_000;
/** A gateway counts in memory: after a restart it may send as many again. */
const MOST_IN_A_MINUTE = 2 * MOST_NOTIFICATIONS_PER_MINUTE.site;
/** Of a site of a gateway; the oldest ones go first. */
const MOST_NOTIFICATIONS = 10_000;

const OWNER = "SELECT gateway_id FROM site WHERE id = ?";

async function useGrant(database: Database, gatewayId: string, siteId: string): Promise<boolean> {
  return (await database.run("DELETE FROM site_grant WHERE site_id = ? AND gateway_id = ?", siteId, gatewayId)) > 0;
}

async function requireDeviceOwner(database: Database, gatewayId: string, deviceId: string): Promise<Device> {
  const device = await findDevice(database, deviceId);
  if (device === undefined) throw refuse("conflict", `there is no device ${deviceId}`);
  await requireOwner(database, gatewayId, device.siteId);
  return device;
}

async function requireOwner(database: Database, gatewayId: string, siteId: string): Promise<void> {
  const site = await database.get(OWNER, siteId);
  if (site === undefined) throw refuse("conflict", `there is no site ${siteId}`);
  requireSameOwner(site, gatewayId, siteId);
}

function requireSameOwner(site: Row, gatewayId: string, siteId: string): void {
  if (site["gateway_id"] !== gatewayId) throw refuse("conflict", `site ${siteId} is of another gateway`);
}
