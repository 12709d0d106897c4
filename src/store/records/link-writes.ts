import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Gateway, JoinCode, Uplink } from "#core/link/gateway.ts";
import type { DroppedHistory } from "#core/link/gateway-figures.ts";
import { PASSING_KINDS } from "#core/link/linked-key.ts";
import { MAX_REFUSED } from "#core/link/refused-record.ts";
import type { LinkedHour } from "#core/link/telemetry-spool.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NotedRefusals, SeenGateway } from "#service/ports/link-store.ts";
import type { Database, Row, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { refuseChanges } from "./change-writes.ts";
import { GATEWAY_COLUMNS, siteIdsOf } from "./link-row.ts";
import { listed, optionalText, text } from "./row.ts";

/** What a gateway keeps about its cloud. */
export const uplinkWrites = {
  /** Keeps the epoch that is there. */
  async makeEpoch(database: Database, { epoch }: { epoch: string }): Promise<string> {
    await database.run("INSERT INTO epoch (id, epoch) VALUES (1, ?) ON CONFLICT (id) DO NOTHING", epoch);
    return text(await database.one("SELECT epoch FROM epoch"), "epoch");
  },

  async putUplink(database: WriteDatabase, { uplink, trail }: { uplink: Uplink; trail: AuditEntry }): Promise<void> {
    await database.run("DELETE FROM link_change");
    await database.run("DELETE FROM link_hour");
    await database.run("DELETE FROM uplink");
    await deleteCloudTokens(database);
    await database.run(
      "INSERT INTO uplink (id, url, gateway_id, credential, joined_at, history_before, confirmed) VALUES (1, ?, ?, ?, ?, ?, 0)",
      uplink.url,
      uplink.gatewayId,
      uplink.credential,
      uplink.joinedAt,
      uplink.historyBefore ?? null,
    );
    await recordAudit(database, trail);
  },

  async deleteUplink(database: WriteDatabase, { trail }: { trail: AuditEntry }): Promise<boolean> {
    await database.run("DELETE FROM link_change");
    await database.run("DELETE FROM link_hour");
    if ((await database.run("DELETE FROM uplink")) === 0) return false;
    await deleteCloudTokens(database);
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

  async confirmChanges(database: Database, { number }: { number: number }): Promise<void> {
    await database.run(
      "DELETE FROM link_change WHERE changed <= ? AND kind IN (SELECT value FROM json_each(?))",
      number,
      listed(PASSING_KINDS),
    );
    await database.run("UPDATE uplink SET confirmed = ? WHERE confirmed < ?", number, number);
  },

  async noteContact(database: Database, { at }: { at: Instant }): Promise<void> {
    await database.run("UPDATE uplink SET contact_at = ?", at);
  },

  async putNextCredential(database: Database, { next }: { next: Uint8Array }): Promise<void> {
    await database.run("UPDATE uplink SET next_credential = ?", next);
  },

  /** Nothing happens when another one is to be next. */
  async useNextCredential(
    database: Database,
    { next, credential, at }: { next: Uint8Array; credential: Uint8Array; at: Instant },
  ): Promise<void> {
    await database.run(
      `UPDATE uplink SET former_credential = credential, credential = ?, next_credential = NULL, credential_at = ?
       WHERE next_credential = ?`,
      credential,
      at,
      next,
    );
  },

  async noteCloud(database: Database, { epoch }: { epoch: string }): Promise<void> {
    await database.run("UPDATE uplink SET cloud_epoch = ?", epoch);
  },

  async noteDropped(
    database: Database,
    { dropped, hours }: { dropped: DroppedHistory; hours: readonly LinkedHour[] },
  ): Promise<void> {
    await database.run(
      "UPDATE uplink SET history_expired = ?, history_unreadable = ?",
      dropped.expired,
      dropped.unreadable,
    );
    for (const { deviceId, hour } of hours) {
      await database.run("UPDATE link_hour SET has_expired = 1 WHERE device_id = ? AND hour = ?", deviceId, hour);
    }
  },

  async noteHistory(database: Database, { before }: { before: Instant | undefined }): Promise<void> {
    await database.run("UPDATE uplink SET history_before = ?", before ?? null);
  },
};

/** They were those of a former cloud. */
async function deleteCloudTokens(database: Database): Promise<void> {
  await database.run("DELETE FROM session WHERE token_id IN (SELECT id FROM token WHERE from_cloud = 1)");
  await database.run("DELETE FROM token WHERE from_cloud = 1");
}

/** What a cloud keeps about its gateways. */
export const gatewayWrites = {
  async insertJoinCode(database: WriteDatabase, { code, trail }: { code: JoinCode; trail: AuditEntry }): Promise<void> {
    await database.run("DELETE FROM join_code WHERE expires_at <= ?", code.createdAt);
    await database.run(
      `INSERT INTO join_code (id, name, hash, replaces, site_ids, actor_token_id, actor_name, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      code.id,
      code.name ?? null,
      code.hash,
      code.replaces ?? null,
      JSON.stringify(code.siteIds),
      code.madeBy.tokenId,
      code.madeBy.name,
      code.createdAt,
      code.expiresAt,
    );
    await recordAudit(database, trail);
  },

  async withdrawJoinCode(
    database: WriteDatabase,
    { id, at, trail }: { id: string; at: Instant; trail: AuditEntry },
  ): Promise<boolean> {
    if ((await database.run("DELETE FROM join_code WHERE id = ? AND expires_at > ?", id, at)) === 0) return false;
    await recordAudit(database, trail);
    return true;
  },

  async joinGateway(
    database: WriteDatabase,
    { hash, gateway, trail }: { hash: Uint8Array; gateway: Gateway; trail: AuditEntry },
  ): Promise<Gateway | undefined> {
    const code = await database.get(
      "DELETE FROM join_code WHERE hash = ? AND expires_at > ? RETURNING name, replaces, site_ids",
      hash,
      gateway.createdAt,
    );
    if (code === undefined) return undefined;
    const joined = { ...gateway, name: optionalText(code, "name") ?? gateway.name };
    await database.run(
      `INSERT INTO gateway (${GATEWAY_COLUMNS}) VALUES (?, ?, ?, ?, NULL, ?, NULL, 0, NULL, 0, NULL, 0)`,
      joined.id,
      joined.name,
      joined.credentialHash,
      joined.createdAt,
      joined.version,
    );
    await grantSites(database, joined.id, { code, at: joined.createdAt });
    await recordAudit(database, trail);
    return joined;
  },

  /** False when the gateway is unknown or revoked, or no gateway owns the site. */
  async grantSite(
    database: WriteDatabase,
    { gatewayId, siteId, at, trail }: { gatewayId: string; siteId: string; at: Instant; trail: AuditEntry },
  ): Promise<boolean> {
    const open = await database.get("SELECT 1 AS found FROM gateway WHERE id = ? AND revoked_at IS NULL", gatewayId);
    const site = await database.get("SELECT gateway_id FROM site WHERE id = ? AND gateway_id IS NOT NULL", siteId);
    if (open === undefined || site === undefined) return false;
    if (site["gateway_id"] !== gatewayId) await grant(database, { gatewayId, siteId, at });
    await recordAudit(database, trail);
    return true;
  },

  async noteRefusals(
    database: Database,
    { gatewayId, noted }: { gatewayId: string; noted: NotedRefusals },
  ): Promise<void> {
    for (const { kind, key } of noted.taken) {
      await database.run(
        "DELETE FROM gateway_refusal WHERE gateway_id = ? AND kind = ? AND key = ?",
        gatewayId,
        kind,
        key,
      );
    }
    for (const { kind, key, reason } of noted.refused) {
      await database.run(
        `INSERT INTO gateway_refusal (gateway_id, kind, key, reason, at)
         SELECT ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM gateway_refusal WHERE gateway_id = ?) < ?
         ON CONFLICT (gateway_id, kind, key) DO UPDATE SET reason = excluded.reason`,
        gatewayId,
        kind,
        key,
        reason,
        noted.at,
        gatewayId,
        MAX_REFUSED,
      );
    }
  },

  async revokeGateway(
    database: WriteDatabase,
    { id, at, trail }: { id: string; at: Instant; trail: AuditEntry },
  ): Promise<boolean> {
    const changed = await database.run("UPDATE gateway SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id);
    if (changed === 0) return false;
    await database.run("DELETE FROM site_grant WHERE gateway_id = ?", id);
    await refuseChanges(database, { gatewayId: id, at, reason: "its gateway was revoked" });
    await recordAudit(database, trail);
    return true;
  },

  async askRotation(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }): Promise<boolean> {
    const changed = await database.run("UPDATE gateway SET must_rotate = 1 WHERE id = ? AND revoked_at IS NULL", id);
    if (changed === 0) return false;
    await recordAudit(database, trail);
    return true;
  },

  async acceptCredential(database: Database, { id, hash }: { id: string; hash: Uint8Array }): Promise<void> {
    await database.run("UPDATE gateway SET next_credential_hash = ? WHERE id = ?", hash, id);
  },

  async settleCredential(database: Database, { id, hash }: { id: string; hash: Uint8Array }): Promise<void> {
    await database.run(
      `UPDATE gateway SET credential_hash = next_credential_hash, next_credential_hash = NULL, must_rotate = 0
       WHERE id = ? AND next_credential_hash = ?`,
      id,
      hash,
    );
  },

  async noteTaken(database: Database, { id, seen }: { id: string; seen: SeenGateway }): Promise<void> {
    await database.run(
      `UPDATE gateway SET version = ?, epoch = ?, taken = ?, last_seen_at = ?, is_connected = 1, is_caught_up = ?
       WHERE id = ?`,
      seen.version,
      seen.epoch ?? null,
      seen.taken,
      seen.at,
      seen.isCaughtUp ? 1 : 0,
      id,
    );
  },

  async noteGatewayGone(database: Database, { id }: { id: string }): Promise<void> {
    await database.run("UPDATE gateway SET is_connected = 0, is_caught_up = 0 WHERE id = ?", id);
  },
};

/** A person gave out a code for these sites, so whoever joins with it may take them over. Sites of this cloud itself stay. */
async function grantSites(
  database: Database,
  gatewayId: string,
  { code, at }: { readonly code: Row; readonly at: Instant },
): Promise<void> {
  const replaces = optionalText(code, "replaces");
  const named = siteIdsOf(code);
  const rows = await database.all(
    `SELECT id FROM site WHERE gateway_id IS NOT NULL
     AND (gateway_id = ? OR id IN (SELECT value FROM json_each(?))) ORDER BY id`,
    replaces ?? "",
    listed(named),
  );
  for (const row of rows) await grant(database, { gatewayId, siteId: text(row, "id"), at });
}

/** The latest decision counts. */
async function grant(
  database: Database,
  { gatewayId, siteId, at }: { readonly gatewayId: string; readonly siteId: string; readonly at: Instant },
): Promise<void> {
  await database.run(
    `INSERT INTO site_grant (site_id, gateway_id, at) VALUES (?, ?, ?)
     ON CONFLICT (site_id) DO UPDATE SET gateway_id = excluded.gateway_id, at = excluded.at`,
    siteId,
    gatewayId,
    at,
  );
}
