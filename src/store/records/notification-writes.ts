import { ruleKey } from "#core/link/linked-key.ts";
import type { Notification } from "#core/notification/notification.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NewNotification } from "#service/ports/notification-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { addEvent } from "./event-writes.ts";
import { marked } from "./link-marks.ts";
import { watchChanges } from "./message-writes.ts";
import { enqueueNotices } from "./webhook-writes.ts";
import { PRUNE_AT_ONCE, prune, write } from "./write.ts";

export const notificationWrites = {
  insertNotification: write({
    locks: ({ given }) => [`notifications ${given.notification.source.id}`],
    informs: {
      cloud: ({ given: { notification } }, isNew: boolean) =>
        isNew ? marked("notification", ruleKey(notification)) : [],
      nodes: undefined,
    },
    fromReserve: false,
    async run(database: WriteDatabase, { given }: { given: NewNotification }): Promise<boolean> {
      const { notification, key, event, notices } = given;
      const { id, siteId } = notification;
      if ((await database.get("SELECT 1 AS found FROM site WHERE id = ?", siteId)) === undefined) return false;
      if ((await storeNotification(database, notification, key)) === 0) return false;
      await addEvent(database, event);
      await enqueueNotices(database, notices);
      await watchChanges(database, siteId, [{ id, deviceId: undefined }]);
      return true;
    },
  }),

  pruneNotifications: prune("notifications", async (database: Database, { before }: { before: Instant }) => {
    const deleted = await database.run(
      "DELETE FROM notification WHERE id IN (SELECT id FROM notification WHERE at < ? ORDER BY at LIMIT ?)",
      before,
      PRUNE_AT_ONCE,
    );
    // Whoever has read only what is gone has read nothing.
    const marks = await database.run(
      `DELETE FROM notification_read WHERE (site_id, person) IN (
           SELECT site_id, person FROM notification_read WHERE read_until < ? ORDER BY read_until LIMIT ?)`,
      before,
      PRUNE_AT_ONCE,
    );
    return deleted + marks;
  }),
};

/** 1; 0 if its source has sent one with this key. */
export async function storeNotification(
  database: Database,
  { id, siteId, at, severity, title, text, source }: Notification,
  key: string | undefined,
): Promise<number> {
  return await database.run(
    `INSERT INTO notification (id, site_id, at, severity, title, text, source_kind, source_id, source_slug, source_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source_id, source_key) DO NOTHING`,
    id,
    siteId,
    at,
    severity,
    title ?? null,
    text,
    source.kind,
    source.id,
    source.slug,
    key ?? id,
  );
}
