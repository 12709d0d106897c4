import type { AuditEntry } from "#core/access/audit-entry.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import { type Channel, MOST_CHANNELS } from "#core/notification/channel.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { CHANNEL_COLUMNS } from "./channel-row.ts";
import { routesOf } from "./route-row.ts";
import { number } from "./row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

const locks = (siteId: string) => [`site ${siteId}`, `channels ${siteId}`];

export const channelWrites = {
  insertChannel: write({
    locks: ({ channel }) => locks(channel.siteId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { channel, trail }: { channel: Channel; trail: AuditEntry }) {
      const { id, siteId, level, createdAt } = channel;
      await requireOwnSite(database, siteId);
      const sql = "SELECT count(*) AS total FROM notification_channel WHERE site_id = ?";
      if (number(await database.one(sql, siteId), "total") >= MOST_CHANNELS)
        throw refuse("conflict", `the site has ${MOST_CHANNELS} notification channels already; delete some first`);
      await requireName(database, channel);
      await database.run(
        `INSERT INTO notification_channel (${CHANNEL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        siteId,
        ...changing(channel),
        ACCESS_LEVELS.indexOf(level),
        createdAt,
        channel.updatedAt,
      );
      await recordAudit(database, trail);
    },
  }),

  updateChannel: write({
    locks: ({ channel }) => locks(channel.siteId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { channel, trail, before }: { channel: Channel; trail: AuditEntry | undefined; before: Instant | undefined },
    ): Promise<boolean> {
      await requireOwnSite(database, channel.siteId);
      await requireName(database, channel);
      const changed = await database.run(
        `UPDATE notification_channel SET name = ?, target = ?, sealed_secret = ?, language = ?, quiet_calendar = ?,
         quiet_except = ?, allow_private = ?, updated_at = ?
         WHERE site_id = ? AND id = ?${before === undefined ? "" : " AND updated_at = ?"}`,
        ...changing(channel),
        channel.updatedAt,
        channel.siteId,
        channel.id,
        ...(before === undefined ? [] : [before]),
      );
      return trail === undefined ? changed > 0 : await recordIfChanged(database, trail, changed);
    },
  }),

  deleteChannel: write({
    locks: ({ named }) => locks(named.siteId),
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { named: { siteId, id }, trail }: { named: { readonly siteId: string; readonly id: string }; trail: AuditEntry },
    ): Promise<boolean> {
      const user = (await routesOf(database, siteId)).find(({ steps }) =>
        steps.some(({ channels }) => channels.includes(id)),
      );
      if (user !== undefined)
        throw refuse(
          "conflict",
          `the notification route ${JSON.stringify(user.name)} uses the channel; change that first`,
        );
      const sql = "DELETE FROM notification_channel WHERE site_id = ? AND id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, siteId, id));
    },
  }),
};

/** In the order of the columns. */
function changing({ name, target, sealedSecret, language, quiet, allowPrivate }: Channel) {
  return [
    ...[name, JSON.stringify(target), sealedSecret ?? null, language],
    ...[quiet?.calendar ?? null, quiet?.except ?? null, allowPrivate ? 1 : 0],
  ];
}

async function requireName(database: Database, { siteId, name, id }: Channel): Promise<void> {
  const sql = "SELECT 1 AS found FROM notification_channel WHERE site_id = ? AND name = ? AND id <> ?";
  if ((await database.get(sql, siteId, name, id)) === undefined) return;
  throw refuse("conflict", `the site has a notification channel ${JSON.stringify(name)} already`, { pointer: "/name" });
}
