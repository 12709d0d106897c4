import { DEVICE_TYPES } from "#core/device/device.ts";
import { LINKED_KINDS, type LinkedKey } from "#core/link/linked-key.ts";
import type { CopyStore, GatewayStore, OwnedDevice, UplinkStore } from "#service/ports/link-store.ts";
import type { Database, ReadDatabase, Row } from "#store/database.ts";
import { latestPosition } from "./event-row.ts";
import { latestChange } from "./execution-row.ts";
import {
  GATEWAY_COLUMNS,
  OPEN_CODE_COLUMNS,
  parseGateway,
  parseOpenCode,
  parseRefusal,
  parseUplink,
  UPLINK_COLUMNS,
} from "./link-row.ts";
import type { Lists } from "./lists.ts";
import { listed, number, oneOf, optionalText, text } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createUplinkStore(reader: ReadDatabase, writer: Writer, newEpoch: () => string): UplinkStore {
  const latest = async () => {
    const settled = await reader.settledChange();
    return Math.max(
      await latestChange(reader, settled),
      await latestPosition(reader, settled),
      await latestMark(reader, settled),
    );
  };
  return {
    epoch: async () => {
      const row = await reader.get("SELECT epoch FROM epoch");
      return row === undefined ? await writer.run("makeEpoch", { epoch: newEpoch() }) : text(row, "epoch");
    },
    get: async () => {
      const row = await reader.get(`SELECT ${UPLINK_COLUMNS} FROM uplink`);
      return row && parseUplink(row);
    },
    put: (uplink, trail) => writer.run("putUplink", { uplink, trail }),
    delete: (trail) => writer.run("deleteUplink", { trail }),
    changesAfter: async (after, limit) => {
      // Read first: a change that is stored after this line has a higher number.
      const newest = await latest();
      // The usual answer: a gateway asks twice a second.
      if (newest <= after) return { keys: [], upTo: newest };
      const rows = await reader.all(
        "SELECT kind, key, changed FROM link_change WHERE changed > ? AND changed <= ? ORDER BY changed LIMIT ?",
        after,
        newest,
        limit,
      );
      const keys = rows.map((row) => ({ ...parseKey(row), changed: number(row, "changed") }));
      return { keys, upTo: keys.length < limit ? newest : (keys.at(-1)?.changed ?? newest) };
    },
    amongChanged: async (keys, after) => {
      const found: LinkedKey[] = [];
      for (const { kind, key } of keys) {
        const sql = "SELECT kind, key FROM link_change WHERE kind = ? AND key = ? AND changed > ?";
        const row = await reader.get(sql, kind, key, after);
        if (row !== undefined) found.push(parseKey(row));
      }
      return found;
    },
    latest,
    hours: async () =>
      (await reader.all("SELECT device_id, hour, has_expired FROM link_hour ORDER BY hour")).map((row) => ({
        deviceId: text(row, "device_id"),
        hour: number(row, "hour"),
        hasExpired: row["has_expired"] === 1,
      })),
    noteCloud: (epoch) => writer.run("noteCloud", { epoch }),
    noteTariffs: (epoch) => writer.run("noteTariffs", { epoch }),
    noteControls: (epoch) => writer.run("noteControls", { epoch }),
    noteInterlocks: (epoch) => writer.run("noteInterlocks", { epoch }),
    noteRules: (epoch) => writer.run("noteRules", { epoch }),
    confirm: (number) => writer.run("confirmChanges", { number }),
    markHours: (hours) => writer.run("markHours", { hours }),
    unmarkHours: (hours) => writer.run("unmarkHours", { hours }),
    noteContact: (at) => writer.run("noteContact", { at }),
    putNextCredential: (next) => writer.run("putNextCredential", { next }),
    useNextCredential: (change) => writer.run("useNextCredential", change),
    noteDropped: (dropped, hours) => writer.run("noteDropped", { dropped, hours }),
    noteHistory: (before) => writer.run("noteHistory", { before }),
  };
}

/** The number of the latest change that was noted for a cloud. The note of one that the cloud has confirmed may be gone. */
export async function latestMark(database: Database, settled: number): Promise<number> {
  const row = await database.one(
    "SELECT coalesce(max(changed), 0) AS latest FROM link_change WHERE changed <= ?",
    settled,
  );
  const uplink = await database.get("SELECT confirmed FROM uplink");
  return Math.max(number(row, "latest"), uplink === undefined ? 0 : number(uplink, "confirmed"));
}

export function createGatewayStore(reader: Database, writer: Writer, lists: Lists): GatewayStore {
  const idsOf = (rows: readonly Row[]) => rows.map((row) => text(row, "id"));
  return {
    insertCode: (code, trail) => writer.run("insertJoinCode", { code, trail }),
    hasCode: async (hash, at) =>
      (await reader.get("SELECT 1 AS found FROM join_code WHERE hash = ? AND expires_at > ?", hash, at)) !== undefined,
    listCodes: (at, page) =>
      lists.page(page, {
        columns: OPEN_CODE_COLUMNS,
        from: "join_code",
        where: new Where().and("expires_at > ?", at),
        order: "id",
        read: parseOpenCode,
      }),
    withdrawCode: (id, at, trail) => writer.run("withdrawJoinCode", { id, at, trail }),
    join: (hash, gateway, trail) => writer.run("joinGateway", { hash, gateway, trail }),
    find: async (id) => {
      const row = await reader.get(`SELECT ${GATEWAY_COLUMNS} FROM gateway WHERE id = ?`, id);
      return row && parseGateway(row);
    },
    list: ({ isConnected, versions }, page) => {
      const where = new Where().andIn("version", versions);
      // One whose access was revoked is neither there nor away.
      if (isConnected !== undefined) where.and("is_connected = ? AND revoked_at IS NULL", isConnected ? 1 : 0);
      return lists.page(page, { columns: GATEWAY_COLUMNS, from: "gateway", where, order: "id", read: parseGateway });
    },
    versions: async () => {
      const rows = await reader.all(
        `SELECT version, count(*) AS gateways, count(*) FILTER (WHERE is_connected = 1) AS connected
         FROM gateway WHERE revoked_at IS NULL GROUP BY version ORDER BY version`,
      );
      return rows.map((row) => ({
        version: text(row, "version"),
        gateways: number(row, "gateways"),
        connected: number(row, "connected"),
      }));
    },
    places: async (ids) => {
      const rows = await reader.all(
        `SELECT s.gateway_id, s.id, (SELECT min(d.id) FROM device d WHERE d.site_id = s.id AND d.type = 'GATEWAY') AS device_id
         FROM site s WHERE s.gateway_id IN (SELECT value FROM json_each(?)) ORDER BY s.id`,
        listed(ids),
      );
      const places = new Map(
        ids.map((id) => [id, { siteIds: [] as string[], deviceId: undefined as string | undefined, refusals: 0 }]),
      );
      const refusals = await reader.all(
        `SELECT gateway_id, count(*) AS refusals FROM gateway_refusal
         WHERE gateway_id IN (SELECT value FROM json_each(?)) GROUP BY gateway_id`,
        listed(ids),
      );
      for (const row of refusals) {
        const place = places.get(text(row, "gateway_id"));
        if (place !== undefined) place.refusals = number(row, "refusals");
      }
      for (const row of rows) {
        const place = places.get(text(row, "gateway_id"));
        place?.siteIds.push(text(row, "id"));
        if (place !== undefined) place.deviceId ??= optionalText(row, "device_id");
      }
      return places;
    },
    revoke: (id, at, trail) => writer.run("revokeGateway", { id, at, trail }),
    askRotation: (id, trail) => writer.run("askRotation", { id, trail }),
    acceptCredential: (id, hash) => writer.run("acceptCredential", { id, hash }),
    settleCredential: (id, hash) => writer.run("settleCredential", { id, hash }),
    noteGone: (id, at) => writer.run("noteGatewayGone", { id, at }),
    connected: async () => idsOf(await reader.all("SELECT id FROM gateway WHERE is_connected = 1 ORDER BY id")),
    revokedConnected: async () =>
      idsOf(await reader.all("SELECT id FROM gateway WHERE is_connected = 1 AND revoked_at IS NOT NULL ORDER BY id")),
    noteTaken: (id, seen) => writer.run("noteTaken", { id, seen }),
    grantSite: (grant) => writer.run("grantSite", grant),
    grantedSites: async (id) =>
      (await reader.all("SELECT site_id FROM site_grant WHERE gateway_id = ? ORDER BY site_id", id)).map((row) =>
        text(row, "site_id"),
      ),
    noteRefusals: (gatewayId, noted) => writer.run("noteRefusals", { gatewayId, noted }),
    refusals: async (id) =>
      (
        await reader.all(
          "SELECT kind, key, reason, at FROM gateway_refusal WHERE gateway_id = ? ORDER BY kind, key",
          id,
        )
      ).map(parseRefusal),
    sites: async (id) => idsOf(await reader.all("SELECT id FROM site WHERE gateway_id = ? ORDER BY id", id)),
    ownerOf: async (siteId) => {
      const owner = (await reader.get("SELECT gateway_id FROM site WHERE id = ?", siteId))?.["gateway_id"];
      return typeof owner === "string" ? owner : undefined;
    },
    devices: async (id) => (await reader.all(`${OWNED} WHERE s.gateway_id = ? ORDER BY d.id`, id)).map(parseOwned),
    ownedAmong: async (deviceIds) => {
      const sql = `${OWNED} WHERE s.gateway_id IS NOT NULL AND d.id IN (SELECT value FROM json_each(?)) ORDER BY d.id`;
      return (await reader.all(sql, listed(deviceIds))).map(parseOwned);
    },
  };
}

const OWNED = "SELECT d.id, d.site_id, d.type FROM device d JOIN site s ON s.id = d.site_id";

const parseOwned = (row: Row): OwnedDevice => ({
  id: text(row, "id"),
  siteId: text(row, "site_id"),
  type: oneOf(row, "type", DEVICE_TYPES),
});

/** `changing` wraps each write that changes the copy of a device. */
export function createCopyStore(
  writer: Writer,
  changing: <Result>(deviceId: string, write: Promise<Result>) => Promise<Result>,
): CopyStore {
  return {
    site: (gatewayId, site, at) => writer.run("copySite", { gatewayId, site, at }),
    device: (gatewayId, device, corrections = []) =>
      changing(device.id, writer.run("copyDevice", { gatewayId, device, corrections })),
    properties: (gatewayId, deviceId, values) => writer.run("copyProperties", { gatewayId, deviceId, values }),
    deleteDevice: (gatewayId, deviceId, at) =>
      changing(deviceId, writer.run("deleteCopiedDevice", { gatewayId, deviceId, at })),
    deleteSite: (gatewayId, siteId) => writer.run("deleteCopiedSite", { gatewayId, siteId }),
    configuration: (gatewayId, change) => writer.run("copyConfiguration", { gatewayId, change }),
    controls: (gatewayId, deviceId, controls) => writer.run("copyControls", { gatewayId, deviceId, controls }),
    interlock: (gatewayId, name, interlock) => writer.run("copyInterlock", { gatewayId, name, interlock }),
    ruleEngine: (gatewayId, siteId, engine) => writer.run("copyRuleEngine", { gatewayId, siteId, engine }),
    rule: (gatewayId, name, rule) => writer.run("copyRule", { gatewayId, name, rule }),
    ruleReport: (gatewayId, name, report) => writer.run("copyRuleReport", { gatewayId, name, report }),
    variable: (gatewayId, name, variable) => writer.run("copyVariable", { gatewayId, name, variable }),
    controlRecord: (gatewayId, deviceId, record) => writer.run("copyControlRecord", { gatewayId, deviceId, record }),
    tariff: (gatewayId, siteId, tariff) => writer.run("copyTariff", { gatewayId, siteId, tariff }),
    prices: (gatewayId, name, day) => writer.run("copyPrices", { gatewayId, name, day }),
    alert: (gatewayId, alert, announced) => writer.run("copyAlert", { gatewayId, alert, announced }),
    logEntry: (gatewayId, { deviceId, entry, maxBytes }) =>
      writer.run("copyLogEntry", { gatewayId, deviceId, entry, maxBytes }),
    notification: (gatewayId, notification, announced) =>
      writer.run("copyNotification", { gatewayId, notification, announced }),
    auditEntry: (gatewayId, entry) => writer.run("copyAuditEntry", { gatewayId, entry }),
  };
}

function parseKey(row: Row): LinkedKey {
  return { kind: oneOf(row, "kind", LINKED_KINDS), key: text(row, "key") };
}
