import { type Device, type DeviceCredential, MQTT_PROTOCOLS, type PropertyValue } from "#core/device/device.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { Database, Row } from "#store/database.ts";
import { DEVICE_COLUMNS, findDevice, parseDevice } from "./device-row.ts";
import { createKnownDevices } from "./known-devices.ts";
import type { Lists } from "./lists.ts";
import { bytes, listed, oneOf, optionalText, text, time } from "./row.ts";
import { isAnything, storedJson } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const CREDENTIAL_COLUMNS = "device_id, hardware_id, channel_id, secret_hash, broker_password, protocol, issued_at";

/** The cache of devices. */
interface DeviceCache {
  /**
   * A device is not in the cache while it is changed: from the commit on, which may be long before the writer's answer,
   * nobody sees the old state. Else a gateway would send it to its cloud under the number of the change.
   */
  changing<Result>(id: string, write: Promise<Result>): Promise<Result>;
  forget(id: string): void;
  forgetAll(): void;
}

/** Devices are read far more often than they change: with every message and every call. */
const MAX_KNOWN = 10_000;

export function createDeviceStore(reader: Database, writer: Writer, lists: Lists): DeviceStore & DeviceCache {
  const known = createKnownDevices(MAX_KNOWN);
  const beingChanged = new Map<string, number>();
  let changes = 0;
  const forget = (id: string) => {
    changes++;
    known.delete(id);
  };
  const changing = async <Result>(id: string, write: Promise<Result>): Promise<Result> => {
    beingChanged.set(id, (beingChanged.get(id) ?? 0) + 1);
    forget(id);
    try {
      return await write;
    } finally {
      const left = (beingChanged.get(id) ?? 1) - 1;
      if (left === 0) beingChanged.delete(id);
      else beingChanged.set(id, left);
      forget(id);
    }
  };
  const find = async (id: string): Promise<Device | undefined> => {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const before = changes;
    const device = await findDevice(reader, id);
    // If any device changed meanwhile, this may be the state before the change.
    if (device === undefined || before !== changes || beingChanged.has(id)) return device;
    known.offer(id, device);
    return device;
  };
  return {
    changing,
    forget,
    forgetAll() {
      changes++;
      known.clear();
    },
    insert: (device, trail) => writer.run("insertDevice", { device, trail }),
    find,
    known: (id) => known.get(id),
    findIn: async (id, scope) => {
      if (scope === "all") return find(id);
      const cached = known.get(id);
      if (cached !== undefined && scope.has(cached.siteId)) return cached;
      // Reads one row whether or not the device exists. A device of another site costs the same, so the time reveals
      // nothing.
      const siteId = (await reader.get("SELECT coalesce(max(site_id), '') AS site_id FROM device WHERE id = ?", id))?.[
        "site_id"
      ];
      return typeof siteId === "string" && scope.has(siteId) ? find(id) : undefined;
    },
    findBySlug: async (slug, scope) => {
      const where = new Where().and("slug = ?", slug).andInScope("site_id", scope);
      const rows = await reader.all(
        `SELECT ${DEVICE_COLUMNS} FROM device${where.sql} ORDER BY id LIMIT 2`,
        ...where.values,
      );
      return rows.map(parseDevice);
    },
    list: async (filter, page) => {
      const where = new Where().andInScope("site_id", filter.scope);
      if (filter.siteId !== undefined) where.and("site_id = ?", filter.siteId);
      if (filter.names !== undefined) where.and(`(${NAMED})`, ...twice(filter.names));
      if (filter.parents !== undefined) {
        where.and(`parent_id IN (SELECT id FROM device WHERE ${NAMED})`, ...twice(filter.parents));
      }
      where
        .andIn("child_type", filter.childTypes)
        .andIn("type", filter.types)
        .andIn("blueprint_id", filter.blueprintIds);
      return lists.page(page, {
        columns: DEVICE_COLUMNS,
        from: "device",
        where,
        order: "id",
        read: parseDevice,
      });
    },
    update: (id, change, trail) => changing(id, writer.run("updateDevice", { id, change, trail })),
    delete: (id, trail) => changing(id, writer.run("deleteDevice", { id, trail })),
    putCredential: (credential, trail) => writer.run("putCredential", { credential, trail }),
    findCredential: async (deviceId) => await findCredential(reader, "device_id", deviceId),
    findCredentialByHardwareId: async (hardwareId) => await findCredential(reader, "hardware_id", hardwareId),
    putProperties: (deviceId, values) => writer.run("putProperties", { deviceId, values }),
    properties: async (deviceIds) => {
      const found = new Map<string, PropertyValue[]>(deviceIds.map((id) => [id, []]));
      const rows = await reader.all(
        `SELECT device_id, name, value, received_at FROM device_property
         WHERE device_id IN (SELECT value FROM json_each(?)) ORDER BY device_id, name`,
        listed(deviceIds),
      );
      for (const row of rows) {
        const value = storedJson({ database: reader, table: "device_property", row }, "value", isAnything);
        if (value !== undefined) found.get(text(row, "device_id"))?.push({ ...parseName(row), value });
      }
      return found;
    },
  };
}

async function findCredential(
  database: Database,
  column: "device_id" | "hardware_id",
  value: string,
): Promise<DeviceCredential | undefined> {
  const row = await database.get(`SELECT ${CREDENTIAL_COLUMNS} FROM device_credential WHERE ${column} = ?`, value);
  if (row === undefined) return undefined;
  return {
    deviceId: text(row, "device_id"),
    hardwareId: text(row, "hardware_id"),
    channelId: text(row, "channel_id"),
    secretHash: bytes(row, "secret_hash"),
    brokerPassword: optionalText(row, "broker_password"),
    protocol: oneOf(row, "protocol", MQTT_PROTOCOLS),
    issuedAt: time(row, "issued_at"),
  };
}

function parseName(row: Row): Omit<PropertyValue, "value"> {
  return { name: text(row, "name"), receivedAt: time(row, "received_at") };
}

/** A device by its id or slug. No slug looks like an id. */
const NAMED = "id IN (SELECT value FROM json_each(?)) OR slug IN (SELECT value FROM json_each(?))";

function twice(names: readonly string[]): readonly [string, string] {
  return [listed(names), listed(names)];
}
