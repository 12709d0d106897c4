import { MESSAGE_STATES } from "#core/notification/after-send.ts";
import type { ChannelTarget } from "#core/notification/channel.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { MessageStore } from "#service/ports/message-store.ts";
import type { Database } from "#store/database.ts";
import { kindOf } from "./channel-row.ts";
import type { Lists } from "./lists.ts";
import { MESSAGE_COLUMNS, parseMessage, readMessages, readWatches, WATCH_COLUMNS } from "./message-row.ts";
import { listed, number, oneOf, optionalTime, text, time } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const OPEN = "finished_at IS NULL";

export function createMessageStore(reader: Database, writer: Writer, lists: Lists): MessageStore {
  return {
    async dueSites(now) {
      const sql = "SELECT DISTINCT site_id FROM notification_watch WHERE next_at <= ? ORDER BY site_id";
      return (await reader.all(sql, now)).map((row) => text(row, "site_id"));
    },
    async nextLook() {
      const sql = "SELECT next_at FROM notification_watch WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1";
      const row = await reader.get(sql);
      return row && time(row, "next_at");
    },
    async watches(siteId, until, limit) {
      const sql = `SELECT ${WATCH_COLUMNS} FROM notification_watch WHERE site_id = ? AND next_at <= ? ORDER BY next_at, id LIMIT ?`;
      return readWatches(reader, await reader.all(sql, siteId, until, limit));
    },
    lookAgain: (siteId) => writer.run("lookAgain", { siteId }),
    storePlan: (plan) => writer.run("storePlan", { plan }),
    async behind(siteId) {
      const sql = `SELECT DISTINCT channel_id FROM notification_message WHERE site_id = ? AND ${OPEN}`;
      return new Set((await reader.all(sql, siteId)).map((row) => text(row, "channel_id")));
    },
    async heads(busy) {
      const rows = await reader.all(
        `SELECT id, channel_id, site_id, state, next_attempt_at FROM notification_message
         WHERE number IN (SELECT min(number) FROM notification_message WHERE ${OPEN} GROUP BY channel_id)
         AND channel_id NOT IN (SELECT value FROM json_each(?)) ORDER BY number`,
        listed(busy),
      );
      return rows.map((row) => ({
        ...{ id: text(row, "id"), channelId: text(row, "channel_id"), siteId: text(row, "site_id") },
        ...{ state: oneOf(row, "state", MESSAGE_STATES), nextAttemptAt: optionalTime(row, "next_attempt_at") },
      }));
    },
    async backlog() {
      const rows = await reader.all(
        `SELECT target, total, oldest FROM notification_channel JOIN (SELECT channel_id, count(*) AS total, min(queued_at) AS oldest
         FROM notification_message WHERE ${OPEN} GROUP BY channel_id) waiting ON waiting.channel_id = notification_channel.id`,
      );
      const kinds = new Map<ChannelTarget["kind"], { readonly count: number; readonly oldestAt: Instant }>();
      for (const row of rows) {
        const kind = kindOf({ database: reader, table: "notification_channel", row });
        if (kind === undefined) continue;
        const { count = 0, oldestAt = time(row, "oldest") } = kinds.get(kind) ?? {};
        const oldest = instant(Math.min(oldestAt, time(row, "oldest")));
        kinds.set(kind, { count: count + number(row, "total"), oldestAt: oldest });
      }
      return [...kinds].map(([kind, waiting]) => ({ kind, ...waiting }));
    },
    async find(id) {
      const sql = `SELECT ${MESSAGE_COLUMNS} FROM notification_message WHERE id = ?`;
      return readMessages(reader, await reader.all(sql, id))[0];
    },
    beginAttempt: (id, now) => writer.run("beginAttempt", { id, now }),
    settle: (id, attempt, result) => writer.run("settleMessage", { id, attempt, result }),
    list: ({ siteId, channelIds, states }, page) =>
      lists.page(page, {
        columns: MESSAGE_COLUMNS,
        from: "notification_message",
        where: new Where().and("site_id = ?", siteId).andIn("channel_id", channelIds).andIn("state", states),
        order: "number DESC",
        read: (row) => parseMessage({ database: reader, table: "notification_message", row }),
      }),
    retry: (named, trail) => writer.run("retryMessage", { named, trail }),
    prune: (before) => writer.run("pruneMessages", { before }),
  };
}
