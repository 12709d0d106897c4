// Room in the outbox. All sites share it: when it is full, the oldest events of the site that holds the most are deleted, so
// a busy site never costs another one its events.
//
// Invariants: `event_site.bytes` are the bytes of the site's events up to `event_tally.counted` that are kept, and
// `event_tally.bytes` is their sum. Events of a site up to `event_site.cut`, and events of all sites up to
// `event_tally.cut`, may be missing; all later ones are kept.
//
// A node of the version before deletes the oldest events of all sites and notes nothing. It is noticed by the oldest event:
// `event_tally.oldest` was the oldest one when this version last deleted something.
import type { EventFilter } from "#core/event/event-filter.ts";
import type { Database, Row, WriteDatabase } from "#store/database.ts";
import { number, optionalNumber, text } from "./row.ts";
import { Where } from "./where.ts";

/** The lock of whoever deletes events: as that of the chore. */
export const EVENTS_CHORE = "events";
/** At least so much of a site is deleted at once, so that many sites of the same size do not take turns for each event. */
const STEP_BYTES = 65_536;
/** Sites that one write takes events from, and events of one of them. What remains is left to the next one. */
const ROUNDS = 32;
const DELETED_AT_ONCE = 1_000;

const OLDEST_EVENT = "SELECT position, total - bytes AS before FROM event ORDER BY position LIMIT 1";
const TALLY = "SELECT counted, total, bytes, cut, oldest FROM event_tally";

interface Tally {
  /** Events up to here are counted. */
  readonly counted: number;
  readonly bytes: number;
  readonly cut: number;
}

/** Counts what is new, and deletes what is too much. Does nothing while another transaction does. */
export async function makeRoom(database: WriteDatabase): Promise<void> {
  if (!(await database.tryLock(`chore ${EVENTS_CHORE}`))) return;
  const tally = await countEvents(database);
  if (tally === undefined) return;
  let excess = tally.bytes - database.eventBytes;
  for (let round = 0; excess > 0 && round < ROUNDS; round++) {
    const [largest, next] = await database.all(
      "SELECT site_id, bytes, cut FROM event_site ORDER BY bytes DESC LIMIT 2",
    );
    if (largest === undefined) break;
    const lead = number(largest, "bytes") - (next === undefined ? 0 : number(next, "bytes"));
    excess -= await dropOldest(database, { site: largest, tally }, Math.min(excess, Math.max(lead, STEP_BYTES)));
  }
}

/** Undefined when another part of the transaction counts. */
export async function countEvents(database: WriteDatabase): Promise<Tally | undefined> {
  const [known, oldest, settled] = [
    await database.get(TALLY),
    await database.get(OLDEST_EVENT),
    await database.settledChange(),
  ];
  const counted = known === undefined ? 0 : number(known, "counted");
  const cut = Math.max(known === undefined ? 0 : number(known, "cut"), cutByOthers(known, oldest));
  const span = await database.one(
    `SELECT CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes, max(position) AS last, max(total) AS total FROM event
     WHERE position > ? AND position <= ?`,
    counted,
    settled,
  );
  const last = optionalNumber(span, "last") ?? counted;
  const bytes = (known === undefined ? 0 : number(known, "bytes")) + number(span, "bytes");
  const isMine = await database.run(
    `INSERT INTO event_tally (id, counted, total, bytes, cut, oldest) VALUES (1, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET counted = excluded.counted, total = excluded.total, bytes = excluded.bytes,
       cut = excluded.cut, oldest = excluded.oldest WHERE event_tally.counted = ?`,
    last,
    optionalNumber(span, "total") ?? (known === undefined ? 0 : number(known, "total")),
    bytes,
    cut,
    oldest === undefined ? 0 : number(oldest, "position"),
    counted,
  );
  if (isMine === 0) return undefined;
  await database.run(
    `INSERT INTO event_site (site_id, bytes, cut) SELECT site_id, sum(bytes), 0 FROM event
     WHERE position > ? AND position <= ? GROUP BY site_id
     ON CONFLICT (site_id) DO UPDATE SET bytes = event_site.bytes + excluded.bytes`,
    counted,
    last,
  );
  return { counted: last, bytes, cut };
}

/** The position up to which somebody who notes nothing has deleted events; 0 when nobody has. */
function cutByOthers(tally: Row | undefined, oldest: Row | undefined): number {
  if (oldest === undefined || number(oldest, "before") === 0) return 0;
  const position = number(oldest, "position");
  return position > (tally === undefined ? 0 : number(tally, "oldest")) ? position : 0;
}

/** Deletes the oldest events of the site, up to so many bytes and one event more. Returns the bytes. */
async function dropOldest(
  database: WriteDatabase,
  { site, tally }: { readonly site: Row; readonly tally: Tally },
  wanted: number,
): Promise<number> {
  const siteId = text(site, "site_id");
  // The newest event says how far positions have come. Rows that were deleted stay in the index of a server for a while: without
  // the lower bound, each step would read those of all steps before.
  const rows = await database.all(
    `SELECT position, bytes FROM event WHERE site_id = ? AND position > ? AND position <= ?
       AND position < (SELECT max(position) FROM event) ORDER BY position LIMIT ${DELETED_AT_ONCE}`,
    siteId,
    number(site, "cut"),
    tally.counted,
  );
  let freed = 0;
  const enough = rows.findIndex((row) => {
    freed += number(row, "bytes");
    return freed >= wanted;
  });
  const last = rows.at(enough);
  const cut = last === undefined ? 0 : number(last, "position");
  // With both ends, since nearly all events may be of this site, and a server would then read them all.
  const first = rows[0] === undefined ? 0 : number(rows[0], "position");
  await database.run("DELETE FROM event WHERE site_id = ? AND position >= ? AND position <= ?", siteId, first, cut);
  // Others may have deleted some of them without noting it: when none is left, none is counted.
  const isEmpty = enough === -1 && rows.length < DELETED_AT_ONCE;
  const bytes = isEmpty ? number(site, "bytes") : Math.min(freed, number(site, "bytes"));
  await noteDropped(database, new Map([[siteId, bytes]]));
  await database.run("UPDATE event_site SET cut = ? WHERE site_id = ? AND cut < ?", cut, siteId, cut);
  return Math.max(bytes, 1);
}

/** Takes what was deleted off the figures. */
export async function noteDropped(database: WriteDatabase, bytesOf: ReadonlyMap<string, number>): Promise<void> {
  let sum = 0;
  for (const [siteId, bytes] of bytesOf) {
    database.send("UPDATE event_site SET bytes = bytes - ? WHERE site_id = ?", bytes, siteId);
    sum += bytes;
  }
  await database.run(
    "UPDATE event_tally SET bytes = bytes - ?, oldest = (SELECT coalesce(min(position), 0) FROM event)",
    sum,
  );
}

/** Whether all events after the position that the filter may select are kept. */
export async function areKept(database: Database, position: number, filter: EventFilter): Promise<boolean> {
  const sites = new Where()
    .and("cut > ?", position)
    .andInScope("site_id", filter.scope)
    .andIn("site_id", filter.siteIds);
  const [tally, oldest, site] = await Promise.all([
    database.get(TALLY),
    database.get(OLDEST_EVENT),
    database.get(`SELECT 1 AS found FROM event_site${sites.sql} LIMIT 1`, ...sites.values),
  ]);
  const cut = Math.max(tally === undefined ? 0 : number(tally, "cut"), cutByOthers(tally, oldest));
  return site === undefined && position >= cut;
}

/** The bytes of all events that are kept, about: those that are not counted yet included. */
export const KEPT_BYTES = `SELECT coalesce(
    (SELECT bytes - total FROM event_tally), (SELECT bytes - total FROM event ORDER BY position LIMIT 1), 0)
  + coalesce((SELECT total FROM event ORDER BY position DESC LIMIT 1), 0) AS used`;

/** Events after this position are all kept, whichever site they are of. */
export const CUT_ANYWHERE = `SELECT max(position) AS cut FROM (
    SELECT cut AS position FROM event_tally
    UNION ALL SELECT max(cut) FROM event_site
    UNION ALL SELECT position FROM (SELECT position, total - bytes AS before FROM event ORDER BY position LIMIT 1) AS oldest
      WHERE before > 0 AND position > coalesce((SELECT oldest FROM event_tally), 0)) AS cuts`;
