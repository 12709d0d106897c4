// Adds events to the outbox, in the transaction of the change that they are about. The position of an event is the number
// of its change.
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { BusbarEvent, PreparedEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Row, WriteDatabase } from "#store/database.ts";
import { countEvents, EVENTS_CHORE, makeRoom, noteDropped } from "./event-room.ts";
import { renderEventData } from "./event-row.ts";
import { number, text } from "./row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

/** What an event takes besides its data, about. */
const ROW_BYTES = 192;
/** After so many more bytes events make room. */
const TRIM_EVERY_BYTES = 1_048_576;
/** `position` is the number of the change, where the change has one of its own. */
export async function addEvent(database: WriteDatabase, event: BusbarEvent, position?: number): Promise<void> {
  const at = position ?? (await database.nextChange());
  const data = renderEventData(event);
  const bytes = ROW_BYTES + Buffer.byteLength(data);
  const total = await database.nextEventTotal(bytes);
  database.row(
    "INSERT INTO event (position, at, stored_at, kind, site_id, device_id, read_level, execution_id, bytes, total, data)",
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
  const isDue = Math.floor(total / TRIM_EVERY_BYTES) > Math.floor((total - bytes) / TRIM_EVERY_BYTES);
  if (isDue) await database.shared("room for events", () => makeRoom(database));
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
  pruneEvents: prune(EVENTS_CHORE, async (database: WriteDatabase, { before }: { before: Instant }) => {
    const tally = await countEvents(database);
    const rows = await database.all("SELECT position, stored_at FROM event ORDER BY position LIMIT ?", PRUNE_AT_ONCE);
    const young = rows.findIndex((row) => number(row, "stored_at") >= before);
    const last = rows.at(young === -1 ? -1 : young - 1);
    if (young === 0 || last === undefined) return 0;
    const deleted = await database.all(
      `DELETE FROM event WHERE position <= ? AND position < (SELECT max(position) FROM event)
       RETURNING site_id, position, bytes`,
      number(last, "position"),
    );
    await noteAged(database, deleted, tally?.counted);
    return deleted.length;
  }),
};

/** All sites have lost their events up to the last of these. */
async function noteAged(database: WriteDatabase, deleted: readonly Row[], counted = 0): Promise<void> {
  const bytesOf = new Map<string, number>();
  let cut = 0;
  for (const row of deleted) {
    const position = number(row, "position");
    cut = Math.max(cut, position);
    const siteId = text(row, "site_id");
    if (position <= counted) bytesOf.set(siteId, (bytesOf.get(siteId) ?? 0) + number(row, "bytes"));
  }
  await noteDropped(database, bytesOf);
  await database.run("UPDATE event_tally SET cut = ? WHERE cut < ?", cut, cut);
  await database.run("DELETE FROM event_site WHERE bytes <= 0 AND cut <= ?", cut);
}
