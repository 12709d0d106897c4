import { NOTIFICATION_SEVERITIES, NOTIFICATION_SOURCES, type Notification } from "#core/notification/notification.ts";
import type { NotificationStore } from "#service/ports/notification-store.ts";
import type { Database, Row } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { oneOf, optionalText, text, time } from "./row.ts";
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
