import { MOST_READERS } from "#core/notification/notification.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Reader } from "#service/ports/notification-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { number } from "./row.ts";
import { NOBODY, write } from "./write.ts";

export const readNotificationWrites = {
  markNotificationsRead: write({
    locks: ({ reader }) => [`site ${reader.siteId}`, `token ${reader.person}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { reader, until }: { reader: Reader; until: Instant }): Promise<void> {
      const { siteId, person } = reader;
      const sql = "SELECT max(at) AS newest FROM notification WHERE site_id = ?";
      const { newest } = await database.one(sql, siteId);
      // Nothing to look at, or no site any more.
      if (newest === null) return;
      // Never later than the newest: what comes afterwards is unread, whatever the caller said.
      const read = instant(Math.min(until, Number(newest)));
      const moved = "UPDATE notification_read SET read_until = ? WHERE site_id = ? AND person = ? AND read_until < ?";
      if ((await database.run(moved, read, siteId, person, read)) > 0) return;
      const added = await database.run(
        "INSERT INTO notification_read (site_id, person, read_until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        siteId,
        person,
        read,
      );
      if (added > 0) await keepNewest(database, siteId);
    },
  }),
};

/** Those of a person or token that has ended. */
export async function deleteReadMarksOf(database: Database, person: string): Promise<void> {
  await database.run("DELETE FROM notification_read WHERE person = ?", person);
}

async function keepNewest(database: WriteDatabase, siteId: string): Promise<void> {
  const count = "SELECT count(*) AS total FROM notification_read WHERE site_id = ?";
  const over = number(await database.one(count, siteId), "total") - MOST_READERS;
  if (over <= 0) return;
  await database.run(
    `DELETE FROM notification_read WHERE site_id = ? AND person IN (
       SELECT person FROM notification_read WHERE site_id = ? ORDER BY read_until, person LIMIT ?)`,
    siteId,
    siteId,
    over,
  );
}
