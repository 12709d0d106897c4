import { KINDS } from "#store/series/batch.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { Chunk, ChunkStore, OnDamaged, Segment } from "#store/series/chunk-store.ts";
import { HOUR_MS } from "#store/series/hot-store.ts";
import { DAY_MS } from "#store/series/sealed-segments.ts";
import { type Connection, CorruptFile, isCorrupt, type Row } from "#store/sqlite/connection.ts";
import { number } from "#store/sqlite/row.ts";
import { contentSum, headSum, journalSum, latestSum, partsSum, placeOf, segmentSum } from "./checked-rows.ts";
import { healDefinitions, putDefinition } from "./heal-definitions.ts";
import { SCHEMA, SCHEMA_VERSION, UPGRADED, UPGRADES } from "./schema.ts";
import {
  CHUNK_COLUMNS,
  CHUNK_FROM,
  createSqliteReader,
  endsAfter,
  renderScalar,
  SEGMENT_COLUMNS,
} from "./sqlite-chunk-reader.ts";

export function createSqliteChunkStore(database: Connection): ChunkStore {
  prepareSchema(database);
  database.script("PRAGMA recursive_triggers = ON");
  const heavy = createHeavyDays(database);
  const { rows, ...reader } = createSqliteReader(database);
  const commit = (changes: () => void) => {
    database.script("BEGIN IMMEDIATE");
    try {
      changes();
      database.script("COMMIT");
    } catch (error) {
      if (database.inTransaction) database.script("ROLLBACK");
      throw error;
    }
  };
  return {
    ...reader,
    commit,
    definitions(onDamaged) {
      commit(() => healDefinitions(database, rows, onDamaged));
      return reader.definitions(() => {});
    },
    latest(onDamaged) {
      try {
        return reader.latest(onDamaged);
      } catch (error) {
        if (!isCorrupt(error)) throw error;
        onDamaged({ table: "latest", key: 0, start: 0, span: 0 });
        setAsideTable(database, "latest");
        return [];
      }
    },
    define: (definition) => putDefinition(database, definition),
    appendJournal(sequence, batch) {
      database.run(
        "INSERT INTO journal (sequence, checksum, batch) VALUES (?, ?, ?)",
        sequence,
        journalSum(sequence, batch),
        batch,
      );
    },
    *journal(onDamaged) {
      for (let last = -1; ; ) {
        const row = nextJournal(database, last, onDamaged);
        if (row === undefined) return;
        const sequence = number(row, "sequence");
        try {
          const read = rows.journal(row);
          // Row numbers have no gaps, and only the oldest rows are deleted.
          if (last !== -1 && sequence !== last + 1) onDamaged(placeOf("journal", { sequence: last + 1 }, "sequence"));
          yield read;
        } catch (error) {
          if (!(error instanceof DamagedPiece)) throw error;
          onDamaged(error.place);
        }
        last = sequence;
      }
    },
    setAsideJournal(sequence) {
      database.run(
        "INSERT INTO journal_damaged (sequence, batch) SELECT sequence, batch FROM journal WHERE sequence = ?",
        sequence,
      );
      database.run("DELETE FROM journal WHERE sequence = ?", sequence);
    },
    trimJournal(before) {
      database.run("DELETE FROM journal WHERE sequence < ?", before);
    },
    putSegment(segment, chunks) {
      putSegment(database, segment, chunks);
    },
    deleteSegment(device, start) {
      database.run(
        "DELETE FROM chunk WHERE start = ? AND series IN (SELECT id FROM series WHERE device = ?)",
        start,
        device,
      );
      database.run("DELETE FROM segment WHERE device = ? AND start = ?", device, start);
    },
    segments: (device, from, to) =>
      database
        .all(
          `SELECT ${SEGMENT_COLUMNS} FROM segment AS g
           WHERE device = ? AND start > ? AND start < ? AND ${endsAfter("g")} ORDER BY start`,
          device,
          from - DAY_MS,
          to,
          from,
        )
        .map(rows.segment),
    chunks: (device, start) =>
      database
        .all(
          `SELECT ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} WHERE s.device = ? AND c.start = ? ORDER BY c.series`,
          device,
          start,
        )
        .map(rows.chunk),
    daysToCompact(before) {
      const days = database
        .all(
          `SELECT DISTINCT device, CAST(floor(start / ${DAY_MS}.0) AS INTEGER) AS day FROM segment
           WHERE span = ${HOUR_MS} AND start < ? ORDER BY day, device`,
          before,
        )
        .map((row) => ({ device: number(row, "device"), day: number(row, "day") }));
      const first = days.find((day) => !heavy.has(day));
      return first === undefined ? [] : [first];
    },
    leaveApart: (day) => heavy.add(day),
    putLatest(latest) {
      for (const one of latest) {
        database.run(
          "INSERT OR REPLACE INTO latest (series, at, value, checksum) VALUES (?, ?, ?, ?)",
          one.series,
          one.at,
          renderScalar(one.value),
          latestSum(one),
        );
      }
    },
    dropChunks(series, before, limit) {
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
      return dropped;
    },
    dropEmptySegments(device, before) {
      database.run(
        `DELETE FROM segment WHERE device = ? AND start < ? AND start + span <= ? AND NOT EXISTS (
           SELECT 1 FROM series s JOIN chunk c ON c.series = s.id AND c.start = segment.start WHERE s.device = segment.device)`,
        device,
        before,
        before,
      );
    },
    deleteDevice(device) {
      const series = "series IN (SELECT id FROM series WHERE device = ?)";
      database.run(`DELETE FROM chunk WHERE ${series}`, device);
      database.run(`DELETE FROM latest WHERE ${series}`, device);
      database.run("DELETE FROM segment WHERE device = ?", device);
    },
  };
}

/** The first row after another. If even SQLite cannot read on, the rest of the journal is set aside. */
function nextJournal(database: Connection, last: number, onDamaged: OnDamaged): Row | undefined {
  try {
    return database.get(
      "SELECT sequence, checksum, batch FROM journal WHERE sequence > ? ORDER BY sequence LIMIT 1",
      last,
    );
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    onDamaged({ table: "journal", key: last + 1, start: 0, span: 0 });
    setAsideTable(database, "journal");
    return undefined;
  }
}

/** The damaged table stays in the file under another name, and a new one replaces it. */
function setAsideTable(database: Connection, table: "journal" | "latest"): void {
  const taken = database.all("SELECT name FROM sqlite_schema WHERE name LIKE ?", `${table}_damaged_%`).length;
  const [, statement = ""] = new RegExp(`(CREATE TABLE ${table} [^;]*;)`).exec(SCHEMA) ?? [];
  database.script(`BEGIN IMMEDIATE; ALTER TABLE ${table} RENAME TO ${table}_damaged_${taken + 1}; ${statement} COMMIT`);
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
    add({ device, day }: { readonly device: number; readonly day: number }): void {
      known.add(`${device}/${day}`);
    },
    has({ device, day }: { readonly device: number; readonly day: number }): boolean {
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

function prepareSchema(database: Connection): void {
  const version = Number(database.get("PRAGMA user_version")?.["user_version"]);
  if (version === SCHEMA_VERSION || version === UPGRADED) {
    probeSchema(database);
    return;
  }
  if (version > SCHEMA_VERSION) throw new Error("the telemetry was last used by a newer Busbar; use that version");
  const change = version === 0 ? SCHEMA : UPGRADES.slice(version - 1).join("");
  const shape = version === 0 ? SCHEMA_VERSION : UPGRADED;
  database.script(`BEGIN IMMEDIATE; ${change}; PRAGMA user_version = ${shape}; COMMIT`);
}

/** The text of the schema is part of the file: a flipped letter in it would change a column. */
function probeSchema(database: Connection): void {
  try {
    database.get(`SELECT ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} LIMIT 0`);
    database.get(`SELECT ${SEGMENT_COLUMNS} FROM segment LIMIT 0`);
    database.get("SELECT sequence, checksum, batch FROM journal LIMIT 0");
    database.get("SELECT series, at, value, checksum FROM latest LIMIT 0");
    database.get("SELECT sequence, batch FROM journal_damaged LIMIT 0");
    database.get("SELECT series, stretch, chunks, starts FROM tally LIMIT 0");
  } catch (error) {
    throw isCorrupt(error) ? error : new CorruptFile("the schema of the telemetry is damaged", { cause: error });
  }
}

function putSegment(database: Connection, segment: Segment, chunks: readonly Chunk[]): void {
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
    const { series, start, span, summary, grain, parts, presence, values } = chunk;
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
      grain,
      headSum(chunk),
      partsSum(chunk, parts),
      contentSum({ series, start, count: summary.count }, chunk),
      parts,
      presence,
      values,
    );
  }
}
