import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Device, DeviceChange, DeviceCredential, PropertyValue } from "#core/device/device.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NewDevice } from "#service/ports/device-store.ts";
import { recordAudit } from "./audit-writes.ts";
import type { Connection } from "./connection.ts";
import { DEVICE_COLUMNS, findDevice } from "./device-row.ts";
import { freeSlug } from "./free-slug.ts";

export const deviceWrites = {
  insertDevice(database: Connection, { device: given, trail }: { device: NewDevice; trail: AuditEntry }): Device {
    const isTaken = (slug: string) => slugOwner(database, given.siteId, slug) !== undefined;
    const device = { ...given, slug: given.slug ?? freeSlug(given.name, isTaken) };
    requireRow(database, "site", device.siteId);
    requireReferences(database, device);
    database.run(
      `INSERT INTO device (${DEVICE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      device.id,
      device.siteId,
      device.name,
      device.slug,
      device.type,
      device.blueprintId ?? null,
      device.parentId ?? null,
      device.childType ?? null,
      device.createdAt,
      device.updatedAt,
    );
    recordAudit(database, trail);
    return device;
  },

  updateDevice(
    database: Connection,
    { id, change, trail }: { id: string; change: DeviceChange & { updatedAt: Instant }; trail: AuditEntry },
  ): Device | undefined {
    const before = findDevice(database, id);
    if (before === undefined) return undefined;
    const device = { ...before, ...change };
    requireReferences(database, device);
    database.run(
      `UPDATE device SET name = ?, slug = ?, blueprint_id = ?, parent_id = ?, child_type = ?, updated_at = ?
       WHERE id = ?`,
      device.name,
      device.slug,
      device.blueprintId ?? null,
      device.parentId ?? null,
      device.childType ?? null,
      device.updatedAt,
      id,
    );
    recordAudit(database, trail);
    return device;
  },

  deleteDevice(database: Connection, { id, trail }: { id: string; trail: AuditEntry }): boolean {
    if (database.get("SELECT 1 FROM device WHERE parent_id = ? LIMIT 1", id) !== undefined) {
      throw refuse("conflict", "the device still has children; delete or move them first");
    }
    if (database.run("DELETE FROM device WHERE id = ?", id) === 0) return false;
    recordAudit(database, trail);
    return true;
  },

  putCredential(
    database: Connection,
    { credential, trail }: { credential: DeviceCredential; trail: AuditEntry },
  ): void {
    requireRow(database, "device", credential.deviceId);
    database.run(
      `INSERT INTO device_credential (device_id, hardware_id, channel_id, secret_hash, issued_at)
       VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (device_id) DO UPDATE SET
         hardware_id = excluded.hardware_id, channel_id = excluded.channel_id,
         secret_hash = excluded.secret_hash, issued_at = excluded.issued_at`,
      credential.deviceId,
      credential.hardwareId,
      credential.channelId,
      credential.secretHash,
      credential.issuedAt,
    );
    recordAudit(database, trail);
  },

  putProperties(
    database: Connection,
    { deviceId, values }: { deviceId: string; values: readonly PropertyValue[] },
  ): void {
    requireRow(database, "device", deviceId);
    for (const { name, value, receivedAt } of values) {
      database.run(
        `INSERT INTO device_property (device_id, name, value, received_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (device_id, name) DO UPDATE SET value = excluded.value, received_at = excluded.received_at
         WHERE excluded.received_at >= device_property.received_at`,
        deviceId,
        name,
        JSON.stringify(value),
        receivedAt,
      );
    }
  },
};

/** Only this thread writes, so a condition checked here still holds at the commit. */
function requireReferences(database: Connection, device: Device): void {
  const owner = slugOwner(database, device.siteId, device.slug);
  if (owner !== undefined && owner !== device.id) {
    throw refuse("slug_taken", `another device of the site has the slug ${device.slug}`, { slug: device.slug });
  }
  if (device.blueprintId !== undefined) requireRow(database, "blueprint", device.blueprintId);
  for (let id = device.parentId; id !== undefined; ) {
    if (id === device.id) throw refuse("conflict", "a device cannot be its own parent, not even over other devices");
    const parent = findDevice(database, id);
    if (parent?.siteId !== device.siteId) throw refuse("conflict", "the parent is not a device of the same site");
    id = parent.parentId;
  }
}

function slugOwner(database: Connection, siteId: string, slug: string): unknown {
  return database.get("SELECT id FROM device WHERE site_id = ? AND slug = ?", siteId, slug)?.["id"];
}

function requireRow(database: Connection, table: "site" | "device" | "blueprint", id: string): void {
  if (database.get(`SELECT 1 FROM ${table} WHERE id = ?`, id) === undefined) {
    throw refuse("conflict", `the ${table} is gone`);
  }
}
