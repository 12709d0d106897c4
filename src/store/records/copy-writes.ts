import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Device, PropertyValue } from "#core/device/device.ts";
import { deviceEvent } from "#core/event/event.ts";
import type { Site } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AlertAnnouncement, AlertRecord } from "#service/ports/alert-store.ts";
import type { ConfigurationChange } from "#service/ports/configuration-store.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { Database, Row, WriteDatabase } from "#store/database.ts";
import { announce, storeAlert } from "./alert-writes.ts";
import { mergeAudit } from "./audit-writes.ts";
import { storeBuckets } from "./configuration-writes.ts";
import { dropOldest, insertLogEntry } from "./device-log-writes.ts";
import { DEVICE_COLUMNS, deviceValues, findDevice } from "./device-row.ts";
import { addEvent } from "./event-writes.ts";
import { text } from "./row.ts";
import { renderLocation } from "./site-writes.ts";

/** Copies of what gateways own. */
export const copyWrites = {
  async copySite(database: Database, { gatewayId, site }: { gatewayId: string; site: Site }): Promise<void> {
    const here = await database.get("SELECT gateway_id FROM site WHERE id = ?", site.id);
    if (here !== undefined && !(await isOwnerRevoked(database, site.id))) {
      await requireOwner(database, gatewayId, site.id);
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
  },

  async copyDevice(
    database: WriteDatabase,
    { gatewayId, device }: { gatewayId: string; device: Device },
  ): Promise<void> {
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
    await database.run(
      `INSERT INTO device (${DEVICE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET site_id = excluded.site_id, name = excluded.name, slug = excluded.slug,
         type = excluded.type, blueprint_id = excluded.blueprint_id, parent_id = excluded.parent_id,
         child_type = excluded.child_type, updated_at = excluded.updated_at`,
      ...deviceValues(device),
    );
    // Other nodes read it again when they hear of it. Its time does not tell whether it changed: a clock may repeat it.
    if (before !== undefined && `${deviceValues(before)}` === `${deviceValues(device)}`) return;
    await addEvent(database, deviceEvent(device, before === undefined ? "created" : "updated", device.updatedAt));
  },

  async copyProperties(
    database: Database,
    { gatewayId, deviceId, values }: { gatewayId: string; deviceId: string; values: readonly PropertyValue[] },
  ): Promise<void> {
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

  async deleteCopiedDevice(
    database: WriteDatabase,
    { gatewayId, deviceId, at }: { gatewayId: string; deviceId: string; at: Instant },
  ): Promise<void> {
    const device = await findDevice(database, deviceId);
    if (device === undefined) return;
    await requireOwner(database, gatewayId, device.siteId);
    await database.run("UPDATE device SET parent_id = NULL WHERE parent_id = ?", deviceId);
    await database.run("DELETE FROM device WHERE id = ?", deviceId);
    await addEvent(database, deviceEvent(device, "deleted", at));
  },

  async deleteCopiedSite(
    database: WriteDatabase,
    { gatewayId, siteId }: { gatewayId: string; siteId: string },
  ): Promise<void> {
    if ((await database.get("SELECT 1 AS found FROM site WHERE id = ?", siteId)) === undefined) return;
    await requireOwner(database, gatewayId, siteId);
    await database.run("DELETE FROM site WHERE id = ?", siteId);
  },

  async copyConfiguration(
    database: WriteDatabase,
    { gatewayId, change }: { gatewayId: string; change: ConfigurationChange },
  ): Promise<void> {
    await requireDeviceOwner(database, gatewayId, change.deviceId);
    await database.run("DELETE FROM device_configuration WHERE device_id = ?", change.deviceId);
    await storeBuckets(database, change);
    for (const event of change.events) await addEvent(database, event);
  },

  async copyAlert(
    database: WriteDatabase,
    { gatewayId, alert, announced }: { gatewayId: string; alert: AlertRecord; announced: AlertAnnouncement },
  ): Promise<void> {
    await requireDeviceOwner(database, gatewayId, alert.deviceId);
    await storeAlert(database, alert);
    await announce(database, announced);
  },

  async copyLogEntry(
    database: Database,
    {
      gatewayId,
      deviceId,
      entry,
      maxBytes,
    }: { gatewayId: string; deviceId: string; entry: DeviceLogEntry; maxBytes: number },
  ): Promise<boolean> {
    await requireDeviceOwner(database, gatewayId, deviceId);
    const known = "SELECT 1 AS found FROM device_log WHERE device_id = ? AND received_at = ?";
    if ((await database.get(known, deviceId, entry.receivedAt)) !== undefined) return false;
    await insertLogEntry(database, deviceId, entry);
    await dropOldest(database, { deviceId, persist: entry.persist ? 1 : 0, maxBytes });
    return (await database.get(known, deviceId, entry.receivedAt)) !== undefined;
  },

  async copyAuditEntry(
    database: WriteDatabase,
    { gatewayId, entry }: { gatewayId: string; entry: AuditEntry },
  ): Promise<void> {
    const { siteId } = entry.target;
    const [site, known] = await Promise.all([
      siteId === undefined ? undefined : database.get(OWNER, siteId),
      database.get("SELECT details FROM audit WHERE id = ?", entry.id),
    ]);
    // Of a site that is deleted the entry still tells who did it.
    if (siteId !== undefined && site !== undefined) requireSameOwner(site, gatewayId, siteId);
    const from = known === undefined ? gatewayId : JSON.parse(text(known, "details"))["gateway_id"];
    // A gateway that joins again tells what the former one has told.
    const isOurs = from === gatewayId || (await isRevoked(database, from));
    if (!isOurs) throw refuse("conflict", `audit entry ${entry.id} is of another gateway`);
    mergeAudit(database, { ...entry, details: { ...entry.details, gateway_id: gatewayId } });
  },
};

const OWNER = "SELECT gateway_id FROM site WHERE id = ?";

/** A gateway that joins again is another one. It gets the sites of the former one, once that is revoked. */
async function isOwnerRevoked(database: Database, siteId: string): Promise<boolean> {
  const found = await database.get(
    "SELECT 1 AS found FROM site s JOIN gateway g ON g.id = s.gateway_id WHERE s.id = ? AND g.revoked_at IS NOT NULL",
    siteId,
  );
  return found !== undefined;
}

async function isRevoked(database: Database, gatewayId: unknown): Promise<boolean> {
  if (typeof gatewayId !== "string") return false;
  const sql = "SELECT 1 AS found FROM gateway WHERE id = ? AND revoked_at IS NOT NULL";
  return (await database.get(sql, gatewayId)) !== undefined;
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
  if (site["gateway_id"] !== gatewayId)
    throw refuse("conflict", `site ${siteId} is of another gateway; revoke that one if this one takes its place`);
}
