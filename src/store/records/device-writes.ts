import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import {
  credentialKey,
  type Device,
  type DeviceChange,
  type DeviceCredential,
  type PropertyValue,
} from "#core/device/device.ts";
import { deviceEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NewDevice } from "#service/ports/device-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { noteNumbersOf } from "./deleted-number.ts";
import { changedValues, deviceValues, findDevice, INSERT_DEVICE, UPDATE_DEVICE } from "./device-row.ts";
import { addEvent } from "./event-writes.ts";
import { freeSlug } from "./free-slug.ts";
import { marked } from "./link-marks.ts";
import { requireDeletableHere, requireDeviceOwnedHere, requireOwnedHere } from "./require-owned-here.ts";
import { deviceLock, treeLocks, write } from "./write.ts";

export const deviceWrites = {
  insertDevice: write({
    locks: ({ device: { id } }) => treeLocks(id),
    informs: { cloud: (_, device) => marked("device", device.id), nodes: undefined },
    fromReserve: false,
    async run(database: WriteDatabase, { device: given, trail }: { device: NewDevice; trail: AuditEntry }) {
      const isTaken = async (slug: string) => (await slugOwner(database, given.siteId, slug)) !== undefined;
      const device = { ...given, slug: given.slug ?? (await freeSlug(given.name, isTaken)) };
      await requireRow(database, "site", device.siteId);
      await requireOwnedHere(database, device.siteId);
      await requireReferences(database, device);
      await database.run(INSERT_DEVICE, ...deviceValues(device));
      await recordAudit(database, trail);
      await addEvent(database, deviceEvent(device, "created", device.createdAt));
      return device;
    },
  }),

  updateDevice: write({
    locks: ({ id }) => treeLocks(id),
    informs: { cloud: ({ id }) => marked("device", id), nodes: undefined },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { id, change, trail }: { id: string; change: DeviceChange & { updatedAt: Instant }; trail: AuditEntry },
    ) {
      const before = await findDevice(database, id);
      if (before === undefined) return undefined;
      await requireOwnedHere(database, before.siteId);
      const device = { ...before, ...change };
      await requireReferences(database, device);
      await database.run(UPDATE_DEVICE, ...changedValues(device), id);
      await recordAudit(database, trail);
      await addEvent(database, deviceEvent(device, "updated", device.updatedAt));
      return device;
    },
  }),

  deleteDevice: write({
    locks: ({ id }) => treeLocks(id),
    informs: { cloud: ({ id }) => marked("device", id), nodes: undefined },
    fromReserve: true,
    async run(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }) {
      if ((await database.get("SELECT 1 FROM device WHERE parent_id = ? LIMIT 1", id)) !== undefined) {
        throw refuse("conflict", "the device still has children; delete or move them first");
      }
      const device = await findDevice(database, id);
      if (device === undefined) return false;
      await requireDeletableHere(database, device.siteId);
      await noteNumbersOf(database, id);
      await database.run("DELETE FROM device WHERE id = ?", id);
      await recordAudit(database, trail);
      await addEvent(database, deviceEvent(device, "deleted", trail.at));
      return true;
    },
  }),

  putCredential: write({
    locks: ({ credential }) => deviceLock(credential.deviceId),
    informs: {
      cloud: undefined,
      nodes: ({ credential }) => ({
        kind: "credential",
        deviceId: credential.deviceId,
        valid: credentialKey(credential),
      }),
    },
    fromReserve: false,
    async run(database: WriteDatabase, { credential, trail }: { credential: DeviceCredential; trail: AuditEntry }) {
      await requireRow(database, "device", credential.deviceId);
      await requireDeviceOwnedHere(database, credential.deviceId);
      await database.run(
        `INSERT INTO device_credential (device_id, hardware_id, channel_id, secret_hash, broker_password, protocol, issued_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (device_id) DO UPDATE SET
           hardware_id = excluded.hardware_id, channel_id = excluded.channel_id,
           secret_hash = excluded.secret_hash, broker_password = excluded.broker_password, protocol = excluded.protocol, issued_at = excluded.issued_at`,
        credential.deviceId,
        credential.hardwareId,
        credential.channelId,
        credential.secretHash,
        credential.brokerPassword ?? null,
        credential.protocol,
        credential.issuedAt,
      );
      await recordAudit(database, trail);
    },
  }),

  putProperties: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: { cloud: ({ deviceId }) => marked("properties", deviceId), nodes: undefined },
    fromReserve: false,
    keepsMemory: true,
    async run(database: Database, { deviceId, values }: { deviceId: string; values: readonly PropertyValue[] }) {
      await requireRow(database, "device", deviceId);
      for (const { name, value, receivedAt } of values) {
        await database.run(
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
  }),
};

/** Only this thread writes, so a condition checked here still holds at the commit. */
async function requireReferences(database: Database, device: Device): Promise<void> {
  const owner = await slugOwner(database, device.siteId, device.slug);
  if (owner !== undefined && owner !== device.id) {
    throw refuse("slug_taken", `another device of the site has the slug ${device.slug}`, { slug: device.slug });
  }
  if (device.blueprintId !== undefined) await requireRow(database, "blueprint", device.blueprintId);
  for (let id = device.parentId; id !== undefined; ) {
    if (id === device.id) throw refuse("conflict", "a device cannot be its own parent, not even over other devices");
    const parent = await findDevice(database, id);
    if (parent?.siteId !== device.siteId) throw refuse("conflict", "the parent is not a device of the same site");
    id = parent.parentId;
  }
}

async function slugOwner(database: Database, siteId: string, slug: string): Promise<unknown> {
  return (await database.get("SELECT id FROM device WHERE site_id = ? AND slug = ?", siteId, slug))?.["id"];
}

async function requireRow(database: Database, table: "site" | "device" | "blueprint", id: string): Promise<void> {
  if ((await database.get(`SELECT 1 FROM ${table} WHERE id = ?`, id)) === undefined) {
    throw refuse("conflict", `the ${table} is gone`);
  }
}
