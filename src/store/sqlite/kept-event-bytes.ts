import { OLDEST } from "#store/records/event-outbox.ts";
import { number } from "#store/records/row.ts";
import type { Connection } from "./connection.ts";

/** The bytes of all events that are kept. */
export function keptEventBytes(connection: Connection): number {
  const oldest = connection.get(OLDEST);
  if (oldest === undefined) return 0;
  const newest = connection.one("SELECT total FROM event ORDER BY position DESC LIMIT 1");
  return number(newest, "total") - number(oldest, "before");
}
