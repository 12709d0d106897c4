// Adds events to the outbox, in the transaction of the change that they are about. The position of an event is the number
// of its change.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { BusbarEvent, PreparedEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { OUTBOX_BYTES, renderEventData } from "./event-row.ts";
import { number } from "./row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

/** What an event takes besides its data, about. */
const ROW_BYTES = 192;
/** After so many more bytes the oldest events make room. */
const TRIM_EVERY_BYTES = 1_048_576;
/** `position` is the number of the change, where the change has one of its own. */
export async function addEvent(database: WriteDatabase, event: BusbarEvent, position?: number): Promise<void> {
  const at = position ?? (await database.nextChange());
  const data = renderEventData(event);
  const bytes = ROW_BYTES + Buffer.byteLength(data);
  const total = await database.nextEventTotal(bytes);
  database.send(
    `INSERT INTO event (position, at, stored_at, kind, site_id, device_id, read_level, execution_id, bytes, total, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    at,
    event.at,
    Date.now(),
    event.kind,
    event.siteId,
    event.deviceId,
    ACCESS_LEVELS.indexOf(event.readLevel),
    "execution" in event ? event.execution.id : null,
    bytes,
    total,
    data,
  );
  database.announce("execution" in event ? at : { ...event, position: at });
  if (total % TRIM_EVERY_BYTES < bytes) trim(database, total - OUTBOX_BYTES);
}

/** Deletes the events up to this total. */
function trim(database: WriteDatabase, upTo: number): void {
  database.send(
    "DELETE FROM event WHERE position < (SELECT position FROM event WHERE total > ? ORDER BY position LIMIT 1)",
    upTo,
  );
}

export const eventWrites = {
  appendEvents: write({
    locks: [],
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: WriteDatabase, { events }: { events: readonly PreparedEvent[] }) {
      for (const event of events) await addEvent(database, event);
    },
  }),

  /** Keeps the newest, which says how far positions have come. */
  pruneEvents: prune("events", async (database: Database, { before }: { before: Instant }) => {
    const rows = await database.all("SELECT position, stored_at FROM event ORDER BY position LIMIT ?", PRUNE_AT_ONCE);
    const young = rows.findIndex((row) => number(row, "stored_at") >= before);
    const last = rows.at(young === -1 ? -1 : young - 1);
    if (young === 0 || last === undefined) return 0;
    return await database.run(
      "DELETE FROM event WHERE position <= ? AND position < (SELECT max(position) FROM event)",
      number(last, "position"),
    );
  }),
};
