import {
  MOST_UNREAD_COUNTED,
  NOTIFICATION_SEVERITIES,
  NOTIFICATION_SOURCES,
  type Notification,
} from "#core/notification/notification.ts";
import type { NotificationStore } from "#service/ports/notification-store.ts";
import type { Database, Row } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { number, oneOf, optionalText, text, time } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "id, site_id, at, severity, title, text, source_kind, source_id, source_slug";

export function createNotificationStore(reader: Database, writer: Writer, lists: Lists): NotificationStore {
  return {
    insert: (given) => writer.run("insertNotification", { given }),
    async find(siteId, id) {
      const sql = `SELECT ${COLUMNS} FROM notification WHERE site_id = ? AND id = ?`;
      return readRows(reader, { table: "notification", rows: await reader.all(sql, siteId, id) }, parseNotification)[0];
    },
    list: (siteId, page) =>
      lists.page(page, {
        columns: COLUMNS,
        from: "notification",
        where: new Where().and("site_id = ?", siteId),
        order: "at DESC, id DESC",
        read: parseNotification,
      }),
    async readState({ siteId, person }) {
      const sql = "SELECT read_until FROM notification_read WHERE site_id = ? AND person = ?";
      const row = await reader.get(sql, siteId, person);
      const until = row && time(row, "read_until");
      const unread = await reader.one(
        `SELECT count(*) AS total FROM (
           SELECT 1 AS found FROM notification WHERE site_id = ? AND at > ? LIMIT ${MOST_UNREAD_COUNTED}) AS counted`,
        siteId,
        until ?? 0,
      );
      return { until, unread: number(unread, "total") };
    },
    markRead: (person, until) => writer.run("markNotificationsRead", { reader: person, until }),
    prune: (before) => writer.run("pruneNotifications", { before }),
  };
}

const parseNotification = (row: Row): Notification => ({
  id: text(row, "id"),
  siteId: text(row, "site_id"),
  at: time(row, "at"),
  severity: oneOf(row, "severity", NOTIFICATION_SEVERITIES),
  title: optionalText(row, "title"),
  text: text(row, "text"),
  source: {
    kind: oneOf(row, "source_kind", NOTIFICATION_SOURCES),
    id: text(row, "source_id"),
    slug: text(row, "source_slug"),
  },
});
