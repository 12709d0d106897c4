import type { EventFilter } from "#core/event/event-filter.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { Instant } from "#core/time/instant.ts";
import type { EventOutbox, EventPage, StoredEvent } from "#service/ports/event-outbox.ts";
import type { ReadDatabase } from "#store/database.ts";
import { areKept } from "./event-room.ts";
import { EVENT_COLUMNS, latestPosition, parseEvents } from "./event-row.ts";
import { number, optionalNumber } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

/** Events that one page looks at, and those of them that it may hold: about a millisecond of the main thread. */
const LOOKED_AT = 500;
const PAGE_EVENTS = 50;
/** Few, because each may hold a mebibyte of arguments. */
export const READ_TOGETHER = 8;
/** A page ends with the event that reaches this. */
const PAGE_BYTES = 262_144;

/** What differs between the databases. */
export interface OutboxParts {
  readonly watch: EventOutbox["watch"];
  /** The bytes that are kept, about. */
  readonly used: () => number;
  /** The most that is kept, about. */
  readonly limit: number;
}

export function createEventOutbox(
  reader: ReadDatabase,
  writer: Writer,
  { watch, used, limit }: OutboxParts,
): EventOutbox {
  return {
    append: (events) => writer.run("appendEvents", { events }),
    latest: async () => latestPosition(reader, await reader.settledChange()),
    after: (position, filter, now) => readEvents(reader, { position, filter, now }),
    watch,
    prune: (before) => writer.run("pruneEvents", { before }),
    size: { name: "event_outbox", limit, used },
  };
}

interface Asked {
  readonly position: number;
  readonly filter: EventFilter;
  readonly now: Instant;
}

/** Undefined when some events after the position are no longer kept, or the position is of other records. */
function readEvents(reader: ReadDatabase, asked: Asked): Promise<EventPage | undefined> {
  return reader.snapshot(async (database) => {
    const settled = await database.settledChange();
    if (
      !(await areKept(database, asked.position, asked.filter)) ||
      asked.position > (await latestPosition(database, settled))
    )
      return undefined;
    return await readPage(database, asked, settled);
  });
}

async function readPage(database: ReadDatabase, { position, filter, now }: Asked, settled: number): Promise<EventPage> {
  const span = `(SELECT * FROM event WHERE position > ? AND position <= ? ORDER BY position LIMIT ${LOOKED_AT}) AS span`;
  const where = new Where()
    .andReadable(filter)
    .andInScope("site_id", filter.scope)
    .andIn("kind", filter.kinds)
    .andIn("site_id", filter.siteIds)
    .andIn("device_id", filter.deviceIds);
  const rows = await database.all(
    `SELECT ${EVENT_COLUMNS} FROM ${span}${where.sql} ORDER BY position LIMIT ${PAGE_EVENTS}`,
    position,
    settled,
    ...where.values,
  );
  const events: StoredEvent[] = [];
  let bytes = 0;
  for (let at = 0; at < rows.length && bytes < PAGE_BYTES; at += READ_TOGETHER) {
    const some = rows.slice(at, at + READ_TOGETHER);
    const parsed = await parseEvents(database, some, now);
    for (const [index, event] of parsed.entries()) {
      if (event !== undefined) {
        events.push(event);
        bytes += bytesOf(event);
      }
      const isFull = bytes >= PAGE_BYTES || at + index === PAGE_EVENTS - 1;
      if (isFull) return { events, next: number(some[index] ?? {}, "position") };
    }
  }
  const end = await database.one(`SELECT max(position) AS position FROM ${span}`, position, settled);
  return { events, next: optionalNumber(end, "position") ?? position };
}

function bytesOf(event: StoredEvent): number {
  if (!("execution" in event)) return 0;
  const { request, response } = event.execution;
  return approximateBytes(request.arguments) + approximateBytes(response?.payload);
}
