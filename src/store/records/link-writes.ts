import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Device, PropertyValue } from "#core/device/device.ts";
import { deviceEvent } from "#core/event/event.ts";
import type { Gateway, JoinCode, Uplink } from "#core/link/gateway.ts";
import type { LinkedHour } from "#core/link/telemetry-spool.ts";
import type { Site } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { DEVICE_COLUMNS, findDevice } from "./device-row.ts";
import { addEvent } from "./event-writes.ts";
import { GATEWAY_COLUMNS } from "./link-row.ts";
import { optionalText, text } from "./row.ts";
import { renderLocation } from "./site-writes.ts";

/** What a gateway keeps about its cloud. */
export const uplinkWrites = {
  /** Keeps the epoch that is there. */
  async makeEpoch(database: Database, { epoch }: { epoch: string }): Promise<string> {
    await database.run("INSERT INTO epoch (id, epoch) VALUES (1, ?) ON CONFLICT (id) DO NOTHING", epoch);
    return text(await database.one("SELECT epoch FROM epoch"), "epoch");
  },

  async putUplink(database: Database, { uplink, trail }: { uplink: Uplink; trail: AuditEntry }): Promise<void> {
    await database.run("DELETE FROM link_change");
    await database.run("DELETE FROM link_hour");
    await database.run("DELETE FROM uplink");
    await database.run(
      "INSERT INTO uplink (id, url, gateway_id, credential, joined_at, history_before) VALUES (1, ?, ?, ?, ?, ?)",
      uplink.url,
      uplink.gatewayId,
      uplink.credential,
      uplink.joinedAt,
      uplink.historyBefore ?? null,
    );
    await recordAudit(database, trail);
  },

  async deleteUplink(database: Database, { trail }: { trail: AuditEntry }): Promise<boolean> {
    await database.run("DELETE FROM link_change");
    await database.run("DELETE FROM link_hour");
    if ((await database.run("DELETE FROM uplink")) === 0) return false;
    await recordAudit(database, trail);
    return true;
  },

  async markHours(database: Database, { hours }: { hours: readonly LinkedHour[] }): Promise<void> {
    for (const { deviceId, hour } of hours) {
      await database.run(
        "INSERT INTO link_hour (device_id, hour) VALUES (?, ?) ON CONFLICT (device_id, hour) DO NOTHING",
        deviceId,
        hour,
      );
    }
  },

  async unmarkHours(database: Database, { hours }: { hours: readonly LinkedHour[] }): Promise<void> {
    for (const { deviceId, hour } of hours) {
      await database.run("DELETE FROM link_hour WHERE device_id = ? AND hour = ?", deviceId, hour);
    }
  },

  async noteHistory(database: Database, { before }: { before: Instant | undefined }): Promise<void> {
    await database.run("UPDATE uplink SET history_before = ?", before ?? null);
  },
};

/** What a cloud keeps about its gateways. */
export const gatewayWrites = {
  async insertJoinCode(database: Database, { code, trail }: { code: JoinCode; trail: AuditEntry }): Promise<void> {
    await database.run("DELETE FROM join_code WHERE expires_at <= ?", code.createdAt);
    await database.run(
      "INSERT INTO join_code (id, name, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
      code.id,
      code.name ?? null,
      code.hash,
      code.createdAt,
      code.expiresAt,
    );
    await recordAudit(database, trail);
  },

  async joinGateway(
    database: Database,
    { hash, gateway, trail }: { hash: Uint8Array; gateway: Gateway; trail: AuditEntry },
  ): Promise<Gateway | undefined> {
    const code = await database.get(
      "DELETE FROM join_code WHERE hash = ? AND expires_at > ? RETURNING name",
      hash,
      gateway.createdAt,
    );
    if (code === undefined) return undefined;
    const joined = { ...gateway, name: optionalText(code, "name") ?? gateway.name };
    await database.run(
      `INSERT INTO gateway (${GATEWAY_COLUMNS}) VALUES (?, ?, ?, ?, NULL, ?, NULL, 0, NULL, 0)`,
      joined.id,
      joined.name,
      joined.credentialHash,
      joined.createdAt,
      joined.version,
    );
    await recordAudit(database, trail);
    return joined;
  },

  async revokeGateway(
    database: Database,
    { id, at, trail }: { id: string; at: Instant; trail: AuditEntry },
  ): Promise<boolean> {
    const changed = await database.run("UPDATE gateway SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id);
    if (changed === 0) return false;
    await recordAudit(database, trail);
    return true;
  },

  async noteTaken(
    database: Database,
    { id, seen }: { id: string; seen: Pick<Gateway, "version" | "epoch" | "taken"> & { at: Instant } },
  ): Promise<void> {
    await database.run(
      "UPDATE gateway SET version = ?, epoch = ?, taken = ?, last_seen_at = ?, is_connected = 1 WHERE id = ?",
      seen.version,
      seen.epoch ?? null,
      seen.taken,
      seen.at,
      id,
    );
  },

  async noteGatewayGone(database: Database, { id }: { id: string }): Promise<void> {
    await database.run("UPDATE gateway SET is_connected = 0 WHERE id = ?", id);
  },
};

/** Copies of what gateways own. */
export const copyWrites = {
  async copySite(database: Database, { gatewayId, site }: { gatewayId: string; site: Site }): Promise<void> {
    const here = await database.get("SELECT gateway_id FROM site WHERE id = ?", site.id);
    if (here !== undefined) await requireOwner(database, gatewayId, site.id);
    await database.run(
      `INSERT INTO site (id, name, timezone, location, created_at, updated_at, gateway_id) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone, location = excluded.location,
         updated_at = excluded.updated_at`,
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
    if (before?.updatedAt === device.updatedAt && before.slug === device.slug) return;
    await addEvent(database, deviceEvent(device, before === undefined ? "created" : "updated", device.updatedAt));
  },

  async copyProperties(
    database: Database,
    { gatewayId, deviceId, values }: { gatewayId: string; deviceId: string; values: readonly PropertyValue[] },
  ): Promise<void> {
    const device = await findDevice(database, deviceId);
    if (device === undefined) throw refuse("device_not_found", `there is no device ${deviceId}`);
    await requireOwner(database, gatewayId, device.siteId);
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
};

async function requireOwner(database: Database, gatewayId: string, siteId: string): Promise<void> {
  const site = await database.get("SELECT gateway_id FROM site WHERE id = ?", siteId);
  if (site === undefined) throw refuse("conflict", `there is no site ${siteId}`);
  if (site["gateway_id"] !== gatewayId) throw refuse("conflict", `site ${siteId} does not belong to this gateway`);
}
