import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Gateway, JoinCode, Uplink } from "#core/link/gateway.ts";
import type { DroppedHistory } from "#core/link/gateway-figures.ts";
import { controlRecordKey, interlockKey, type LinkedKind, PASSING_KINDS } from "#core/link/linked-key.ts";
import { MAX_REFUSED } from "#core/link/refused-record.ts";
import type { LinkedHour } from "#core/link/spooled-hours.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NotedRefusals, SeenGateway } from "#service/ports/link-store.ts";
import type { Database, Row, Value, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { refuseChanges } from "./change-writes.ts";
import { marked, note } from "./link-marks.ts";
import { GATEWAY_COLUMNS, siteIdsOf } from "./link-row.ts";
import { listed, number, optionalText, text } from "./row.ts";
import { NOBODY, write } from "./write.ts";

/** A few bytes about the cloud, by one statement. Without them the link would end. */
const uplinkNote = <Input>(sql: string, values: (input: Input) => readonly Value[]) =>
  write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    run: async (database: Database, input: Input) => void (await database.run(sql, ...values(input))),
  });

/** The same about a gateway. */
const gatewayNote = <Input extends { readonly id: string }>(sql: string, values: (input: Input) => readonly Value[]) =>
  write({ ...uplinkNote(sql, values), locks: ({ id }: Input) => [`gateway ${id}`] });

/** What a gateway keeps about its cloud. */
export const uplinkWrites = {
  /** Keeps the epoch that is there. */
  makeEpoch: write({
    locks: ["epoch"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { epoch }: { epoch: string }) {
      await database.run("INSERT INTO epoch (id, epoch) VALUES (1, ?) ON CONFLICT (id) DO NOTHING", epoch);
      return text(await database.one("SELECT epoch FROM epoch"), "epoch");
    },
  }),

  putUplink: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { uplink, trail }: { uplink: Uplink; trail: AuditEntry }) {
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
  }),

  deleteUplink: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { trail }: { trail: AuditEntry }) {
      await database.run("DELETE FROM link_change");
      await database.run("DELETE FROM link_hour");
      if ((await database.run("DELETE FROM uplink")) === 0) return false;
      await deleteCloudTokens(database);
      await recordAudit(database, trail);
      return true;
    },
  }),

  markHours: write({
    locks: ["link hours"],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { hours }: { hours: readonly LinkedHour[] }) {
      for (const { deviceId, hour } of hours) {
        await database.run(
          "INSERT INTO link_hour (device_id, hour) VALUES (?, ?) ON CONFLICT (device_id, hour) DO NOTHING",
          deviceId,
          hour,
        );
      }
    },
  }),

  unmarkHours: write({
    locks: ["link hours"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { hours }: { hours: readonly LinkedHour[] }) {
      for (const { deviceId, hour } of hours) {
        await database.run("DELETE FROM link_hour WHERE device_id = ? AND hour = ?", deviceId, hour);
      }
    },
  }),

  confirmChanges: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { number }: { number: number }) {
      await database.run(
        "DELETE FROM link_change WHERE changed <= ? AND kind IN (SELECT value FROM json_each(?))",
        number,
        listed(PASSING_KINDS),
      );
      await database.run("UPDATE uplink SET confirmed = ? WHERE confirmed < ?", number, number);
    },
  }),

  noteContact: uplinkNote("UPDATE uplink SET contact_at = ?", ({ at }: { at: Instant }) => [at]),

  putNextCredential: uplinkNote("UPDATE uplink SET next_credential = ?", ({ next }: { next: Uint8Array }) => [next]),

  /** Nothing happens when another one is to be next. */
  useNextCredential: uplinkNote(
    `UPDATE uplink SET former_credential = credential, credential = ?, next_credential = NULL, credential_at = ?
     WHERE next_credential = ?`,
    ({ next, credential, at }: { next: Uint8Array; credential: Uint8Array; at: Instant }) => [credential, at, next],
  ),

  noteCloud: uplinkNote("UPDATE uplink SET cloud_epoch = ?", ({ epoch }: { epoch: string }) => [epoch]),

  /** Tariffs and prices are sent once more to records of a cloud that may lack them. */
  noteTariffs: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { epoch }: { epoch: string }) {
      const sql = "UPDATE uplink SET tariffs_for = ? WHERE tariffs_for IS NULL OR tariffs_for <> ?";
      if ((await database.run(sql, epoch, epoch)) === 0) return;
      const sites = await database.all("SELECT site_id FROM site_tariff UNION SELECT site_id FROM price_source");
      const prices = await database.all("SELECT site_id, kind, day FROM site_price");
      await note(database, [
        ...sites.flatMap((row) => marked("tariff", text(row, "site_id"))),
        ...prices.flatMap((row) =>
          marked("prices", `${text(row, "site_id")} ${text(row, "kind")} ${number(row, "day")}`),
        ),
      ]);
    },
  }),

  /** The same about controls, and what controlled devices before. */
  noteControls: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { epoch }: { epoch: string }) {
      const sql = "UPDATE uplink SET controls_for = ? WHERE controls_for IS NULL OR controls_for <> ?";
      if ((await database.run(sql, epoch, epoch)) === 0) return;
      const devices = await database.all(
        "SELECT device_id FROM control_claim UNION SELECT device_id FROM control_state",
      );
      const records = await database.all("SELECT device_id, at FROM control_history");
      await note(database, [
        ...devices.flatMap((row) => marked("controls", text(row, "device_id"))),
        ...records.flatMap((row) =>
          marked("control_record", controlRecordKey({ deviceId: text(row, "device_id"), at: number(row, "at") })),
        ),
      ]);
    },
  }),

  noteInterlocks: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { epoch }: { epoch: string }) {
      const sql = "UPDATE uplink SET interlocks_for = ? WHERE interlocks_for IS NULL OR interlocks_for <> ?";
      if ((await database.run(sql, epoch, epoch)) === 0) return;
      const rows = await database.all("SELECT site_id, name FROM site_interlock");
      await note(
        database,
        rows.flatMap((row) =>
          marked("interlock", interlockKey({ siteId: text(row, "site_id"), name: text(row, "name") })),
        ),
      );
    },
  }),

  noteRules: write({
    locks: ["uplink"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { epoch }: { epoch: string }) {
      const sql = "UPDATE uplink SET rules_for = ? WHERE rules_for IS NULL OR rules_for <> ?";
      if ((await database.run(sql, epoch, epoch)) === 0) return;
      const named = async (kind: LinkedKind, select: string) =>
        (await database.all(select)).flatMap((row) => marked(kind, text(row, "key")));
      await note(database, [
        ...(await named("rule_engine", "SELECT site_id AS key FROM rule_engine")),
        ...(await named("rule", "SELECT site_id || ' ' || id AS key FROM site_rule")),
        ...(await named("rule_report", "SELECT site_id || ' ' || rule_id AS key FROM rule_report")),
        ...(await named("variable", "SELECT site_id || ' ' || name AS key FROM site_variable")),
      ]);
    },
  }),

  noteDropped: write({
    locks: ["uplink", "link hours"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { dropped, hours }: { dropped: DroppedHistory; hours: readonly LinkedHour[] }) {
      await database.run(
        "UPDATE uplink SET history_expired = ?, history_unreadable = ?",
        dropped.expired,
        dropped.unreadable,
      );
      for (const { deviceId, hour } of hours) {
        await database.run("UPDATE link_hour SET has_expired = 1 WHERE device_id = ? AND hour = ?", deviceId, hour);
      }
    },
  }),

  noteHistory: uplinkNote("UPDATE uplink SET history_before = ?", ({ before }: { before: Instant | undefined }) => [
    before ?? null,
  ]),
};

/** They were those of a former cloud. */
async function deleteCloudTokens(database: Database): Promise<void> {
  await database.run("DELETE FROM session WHERE token_id IN (SELECT id FROM token WHERE from_cloud = 1)");
  await database.run("DELETE FROM saved_view WHERE owner_id IN (SELECT id FROM token WHERE from_cloud = 1)");
  await database.run("DELETE FROM token WHERE from_cloud = 1");
}

/** What a cloud keeps about its gateways. */
export const gatewayWrites = {
  insertJoinCode: write({
    locks: ["join codes"],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { code, trail }: { code: JoinCode; trail: AuditEntry }) {
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
  }),

  withdrawJoinCode: write({
    locks: ["join codes"],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { id, at, trail }: { id: string; at: Instant; trail: AuditEntry }) {
      const withdraw = "DELETE FROM join_code WHERE id = ? AND expires_at > ?";
      return await recordIfChanged(database, trail, await database.run(withdraw, id, at));
    },
  }),

  joinGateway: write({
    locks: ["join codes"],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { hash, gateway, trail }: { hash: Uint8Array; gateway: Gateway; trail: AuditEntry },
    ) {
      const code = await database.get(
        "DELETE FROM join_code WHERE hash = ? AND expires_at > ? RETURNING name, replaces, site_ids",
        hash,
        gateway.createdAt,
      );
      if (code === undefined) return undefined;
      const joined = { ...gateway, name: optionalText(code, "name") ?? gateway.name };
      await database.run(
        `INSERT INTO gateway (${GATEWAY_COLUMNS}) VALUES (?, ?, ?, ?, NULL, ?, NULL, 0, NULL, 0, NULL, 0, NULL, 0)`,
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
  }),

  /** False when the gateway is unknown or revoked, or no gateway owns the site. */
  grantSite: write({
    locks: ({ gatewayId, siteId }) => [`gateway ${gatewayId}`, `site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { gatewayId, siteId, at, trail }: { gatewayId: string; siteId: string; at: Instant; trail: AuditEntry },
    ) {
      const open = await database.get("SELECT 1 AS found FROM gateway WHERE id = ? AND revoked_at IS NULL", gatewayId);
      const site = await database.get("SELECT gateway_id FROM site WHERE id = ? AND gateway_id IS NOT NULL", siteId);
      if (open === undefined || site === undefined) return false;
      if (site["gateway_id"] !== gatewayId) await grant(database, { gatewayId, siteId, at });
      await recordAudit(database, trail);
      return true;
    },
  }),

  noteRefusals: write({
    locks: ({ gatewayId }) => [`gateway ${gatewayId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { gatewayId, noted }: { gatewayId: string; noted: NotedRefusals }) {
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
  }),

  revokeGateway: write({
    locks: ({ id }) => [`gateway ${id}`, `changes of ${id}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { id, at, trail }: { id: string; at: Instant; trail: AuditEntry }) {
      const changed = await database.run(
        "UPDATE gateway SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
        at,
        id,
      );
      if (changed === 0) return false;
      await database.run("DELETE FROM site_grant WHERE gateway_id = ?", id);
      await refuseChanges(database, { gatewayId: id, at, reason: "its gateway was revoked" });
      await recordAudit(database, trail);
      return true;
    },
  }),

  askRotation: write({
    locks: ({ id }) => [`gateway ${id}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }) {
      const rotate = "UPDATE gateway SET must_rotate = 1 WHERE id = ? AND revoked_at IS NULL";
      return await recordIfChanged(database, trail, await database.run(rotate, id));
    },
  }),

  acceptCredential: gatewayNote(
    "UPDATE gateway SET next_credential_hash = ? WHERE id = ?",
    ({ id, hash }: { id: string; hash: Uint8Array }) => [hash, id],
  ),

  settleCredential: gatewayNote(
    `UPDATE gateway SET credential_hash = next_credential_hash, next_credential_hash = NULL, must_rotate = 0
     WHERE id = ? AND next_credential_hash = ?`,
    ({ id, hash }: { id: string; hash: Uint8Array }) => [id, hash],
  ),

  noteTaken: write({
    locks: ({ id }) => [`gateway ${id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: Database, { id, seen }: { id: string; seen: SeenGateway }) {
      await database.run(
        `UPDATE gateway SET version = ?, protocol = ?, epoch = ?, taken = ?, last_seen_at = ?, is_connected = 1,
           is_caught_up = ? WHERE id = ?`,
        seen.version,
        seen.protocol ?? null,
        seen.epoch ?? null,
        seen.taken,
        seen.at,
        seen.isCaughtUp ? 1 : 0,
        id,
      );
    },
  }),

  noteGatewayGone: gatewayNote(
    "UPDATE gateway SET is_connected = 0, is_caught_up = 0, last_seen_at = coalesce(?, last_seen_at) WHERE id = ?",
    ({ id, at }: { id: string; at: Instant | undefined }) => [at ?? null, id],
  ),
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
