import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { number } from "#store/records/row.ts";
import { KINDS } from "#store/series/batch.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { Latest, NewSegment, OpenSegment, StoredSegment, Stretch } from "#store/series/chunk.ts";
import type { Changes, ChunkStore, DeviceDay, DropTarget, OnDamaged } from "#store/series/chunk-store.ts";
import { packGrain } from "#store/series/held-parts.ts";
import { contentSum, headSum, latestSum, partsSum, segmentSum } from "#store/series/piece-sums.ts";
import { type Connection, isCorrupt, type Row } from "#store/sqlite/connection.ts";
import { healDefinitions, putDefinition } from "./heal-definitions.ts";
import { createHeldPoints } from "./held-points.ts";
import { joinDue } from "./join-due.ts";
import { createJournal } from "./journal.ts";
import { prepareSchema } from "./prepare-schema.ts";
import {
  CHUNK_COLUMNS,
  CHUNK_FROM,
  checkedRows,
  DEFINITIONS,
  endsAfter,
  renderScalar,
  rightOnes,
  SEGMENT_COLUMNS,
} from "./read-rows.ts";
import { createScrub } from "./scrub.ts";
import { setAsideTable } from "./set-aside-table.ts";

/** `onDamaged` is called for what the scrub finds. */
export function createSqliteChunkStore(database: Connection, onDamaged: OnDamaged = () => {}): ChunkStore {
  prepareSchema(database);
  database.script("PRAGMA recursive_triggers = ON");
  const heavy = createHeavyDays(database);
  const journal = createJournal(database);
  const { step: scrub } = createScrub(database, onDamaged);
  const inTransaction = <Result>(changes: () => Result): Result => {
    database.script("BEGIN IMMEDIATE");
    try {
      const result = changes();
      database.script("COMMIT");
      return result;
    } catch (error) {
      if (database.inTransaction) database.script("ROLLBACK");
      throw error;
    }
  };
  return {
    definitions(onDamaged) {
      inTransaction(() => healDefinitions(database, onDamaged));
      return rightOnes(database.all(DEFINITIONS), checkedRows.definition, () => {});
    },
    latest: (onDamaged) => readLatest(database, onDamaged),
    journal: journal.read,
    commit(changes) {
      const batches = changes.journal ?? [];
      const first = journal.nextNumber();
      inTransaction(() => {
        change(database, changes);
        for (const [i, batch] of batches.entries()) journal.append(first + i, batch);
        for (const sequence of changes.setAside ?? []) journal.setAside(sequence);
        if (changes.trimBefore !== undefined) journal.trim(changes.trimBefore);
      });
      journal.noteStored(first + batches.length - 1);
      return batches.map((_, i) => first + i);
    },
    findSegments: (device, from, to) =>
      database
        .all(
          `SELECT device, start, span FROM segment AS g WHERE ${TOUCHES} ORDER BY start`,
          ...touching(device, from, to),
        )
        .map((row) => ({ device: number(row, "device"), start: number(row, "start"), span: number(row, "span") })),
    countChunks: () => Number(database.lists("SELECT total(chunks) FROM tally")[0]?.at(0) ?? 0),
    space() {
      const pragma = (name: string) => Number(database.lists(`PRAGMA ${name}`)[0]?.at(0) ?? 0);
      const [size, pages, spare] = [pragma("page_size"), pragma("page_count"), pragma("freelist_count")];
      // The index has the spans first.
      const [row] = database.all(
        `SELECT min(start) AS oldest FROM (SELECT min(start) AS start FROM segment WHERE span = ${HOUR_MS}
         UNION ALL SELECT min(start) FROM segment WHERE span = ${DAY_MS})`,
      );
      const oldest = row?.["oldest"];
      return {
        usedBytes: (pages - spare) * size,
        spareBytes: spare * size,
        oldest: typeof oldest === "number" ? oldest : undefined,
      };
    },
    newestSegment: (device, before) => {
      const sql = "SELECT device, start, span FROM segment WHERE device = ? AND start < ? ORDER BY start DESC LIMIT 1";
      const [row] = database.all(sql, device, before);
      return row && { device, start: number(row, "start"), span: number(row, "span") };
    },
    readSegments: (device, from, to) =>
      database
        .all(
          `SELECT ${SEGMENT_COLUMNS} FROM segment AS g WHERE ${TOUCHES} ORDER BY start`,
          ...touching(device, from, to),
        )
        .map((row) => readSegment(database, row)),
    openSegments: (device, from, to) =>
      database
        .all(
          `SELECT ${SEGMENT_COLUMNS} FROM segment AS g WHERE ${TOUCHES} ORDER BY start`,
          ...touching(device, from, to),
        )
        .map((row) => openSegment(database, row)),
    dayToCompact: (before) =>
      database
        .all(
          `SELECT DISTINCT device, CAST(floor(start / ${DAY_MS}.0) AS INTEGER) AS day FROM segment
           WHERE span = ${HOUR_MS} AND start < ? ORDER BY day, device`,
          before,
        )
        .map((row) => ({ device: number(row, "device"), day: number(row, "day") }))
        .find((day) => !heavy.has(day)),
    skipDay: (day) => heavy.add(day),
    joinDays: (before) => inTransaction(() => joinDue(database, before, onDamaged)),
    drop: (whose, before, limit) => inTransaction(() => drop(database, whose, { before, limit })),
    held: createHeldPoints(database, inTransaction),
    scrub,
    close: () => database.close(),
  };
}

/** Segments of a device that touch [from, to). */
const TOUCHES = `device = ? AND start > ? AND start < ? AND ${endsAfter("g")}`;
const touching = (device: number, from: number, to: number) => [device, from - DAY_MS, to, from] as const;

function readSegment(database: Connection, row: Row): StoredSegment {
  const segment = checkedRows.segment(row);
  const chunks = database.all(
    `SELECT ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} WHERE s.device = ? AND c.start = ? ORDER BY c.series`,
    segment.device,
    segment.start,
  );
  return { segment, chunks: chunks.map(checkedRows.chunk) };
}

function openSegment(database: Connection, row: Row): OpenSegment {
  const segment = checkedRows.segment(row);
  const { device, start, span } = segment;
  const series = database.lists(
    `SELECT c.series FROM ${CHUNK_FROM} WHERE s.device = ? AND c.start = ? ORDER BY c.series`,
    device,
    start,
  );
  return {
    segment,
    series: series.map(([one]) => Number(one)),
    chunk(one) {
      const found = database.get(
        `SELECT ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} WHERE c.series = ? AND c.start = ?`,
        one,
        start,
      );
      if (found === undefined) throw new DamagedPiece({ table: "chunk", key: one, start, span });
      return checkedRows.chunk(found);
    },
  };
}

function readLatest(database: Connection, onDamaged: OnDamaged): readonly Latest[] {
  try {
    const found = database.all(
      "SELECT l.series, l.at, l.value, l.checksum, s.kind FROM latest l LEFT JOIN series s ON s.id = l.series",
    );
    return rightOnes(found, checkedRows.latest, onDamaged);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    onDamaged({ table: "latest", key: 0, start: 0, span: 0 });
    setAsideTable(database, "latest");
    return [];
  }
}

/** Everything but the journal. */
function change(database: Connection, changes: Changes): void {
  for (const definition of changes.definitions ?? []) putDefinition(database, definition);
  if (changes.deletedDevice !== undefined) deleteDevice(database, changes.deletedDevice);
  for (const segment of changes.segments ?? []) putSegment(database, segment);
  // Only now: the chunks above may have been made of these. What they have replaced has another span.
  for (const stretch of changes.deletedSegments ?? []) deleteSegment(database, stretch);
  for (const one of changes.latest ?? []) {
    database.run(
      "INSERT OR REPLACE INTO latest (series, at, value, checksum) VALUES (?, ?, ?, ?)",
      one.series,
      one.at,
      renderScalar(one.value),
      latestSum(one),
    );
  }
}

function deleteDevice(database: Connection, device: number): void {
  const series = "series IN (SELECT id FROM series WHERE device = ?)";
  database.run(`DELETE FROM chunk WHERE ${series}`, device);
  database.run(`DELETE FROM latest WHERE ${series}`, device);
  database.run("DELETE FROM segment WHERE device = ?", device);
}

function deleteSegment(database: Connection, { device, start, span }: Stretch): void {
  database.run(
    "DELETE FROM chunk WHERE start = ? AND span = ? AND series IN (SELECT id FROM series WHERE device = ?)",
    start,
    span,
    device,
  );
  database.run("DELETE FROM segment WHERE device = ? AND start = ? AND span = ?", device, start, span);
}

function drop(
  database: Connection,
  { series, devices }: DropTarget,
  { before, limit }: { readonly before: number; readonly limit: number },
): number {
  let dropped = 0;
  for (const one of series) {
    if (dropped >= limit) break;
    // The oldest come first by the key, so a step touches no more than it deletes.
    dropped += database.run(
      `DELETE FROM chunk WHERE series = ? AND start IN (
         SELECT start FROM chunk WHERE series = ? AND start < ? AND start + span <= ? ORDER BY start LIMIT ?)`,
      one,
      one,
      before,
      before,
      limit - dropped,
    );
  }
  if (dropped === 0) return 0;
  for (const device of devices) {
    database.run(
      `DELETE FROM segment WHERE device = ? AND start < ? AND start + span <= ? AND NOT EXISTS (
         SELECT 1 FROM series s JOIN chunk c ON c.series = s.id AND c.start = segment.start WHERE s.device = segment.device)`,
      device,
      before,
      before,
    );
  }
  return dropped;
}

/** With this many bytes of text the hours of a day stay apart: joining them would take too much time and memory. */
const HEAVY_TEXT_BYTES = 32 * 1024 * 1024;

/**
 * Days that stay in hours: damaged ones, and those with very much text. A day is remembered once it was found to be
 * one.
 */
function createHeavyDays(database: Connection) {
  const known = new Set<string>();
  return {
    add({ device, day }: DeviceDay): void {
      known.add(`${device}/${day}`);
    },
    has({ device, day }: DeviceDay): boolean {
      const key = `${device}/${day}`;
      if (known.has(key)) return true;
      const row = database.get(
        `SELECT sum(length(c.data)) AS size FROM series s JOIN chunk c ON c.series = s.id
         WHERE s.device = ? AND s.kind = ${KINDS.indexOf("text")} AND c.start >= ? AND c.start < ?`,
        device,
        day * DAY_MS,
        (day + 1) * DAY_MS,
      );
      const isHeavy = Number(row?.["size"] ?? 0) > HEAVY_TEXT_BYTES;
      if (isHeavy) known.add(key);
      return isHeavy;
    },
  };
}

function putSegment(database: Connection, { segment, chunks }: NewSegment): void {
  database.run(
    "INSERT OR REPLACE INTO segment (device, start, span, row_count, checksum, times) VALUES (?, ?, ?, ?, ?, ?)",
    segment.device,
    segment.start,
    segment.span,
    segment.rows,
    segmentSum(segment),
    segment.times,
  );
  for (const chunk of chunks) {
    const { series, start, span, summary, parts, presence, values } = chunk;
    database.run(
      `INSERT OR REPLACE INTO chunk (series, start, span, count, first_at, last_at, first_value, last_value,
         sum_high, sum_low, min, max, grain, head_checksum, parts_checksum, checksum, parts, presence, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      series,
      start,
      span,
      summary.count,
      summary.firstAt,
      summary.lastAt,
      renderScalar(summary.first),
      renderScalar(summary.last),
      summary.sum.high,
      summary.sum.low,
      summary.min,
      summary.max,
      packGrain(chunk),
      headSum(chunk),
      partsSum(chunk, parts),
      contentSum({ series, start, count: summary.count }, chunk),
      parts,
      presence,
      values,
    );
  }
}
