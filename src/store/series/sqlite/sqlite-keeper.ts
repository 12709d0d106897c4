import { KINDS } from "#store/series/batch.ts";
import { HOUR_MS } from "#store/series/hot-store.ts";
import type { Chunk, Keeper, Segment } from "#store/series/keeper.ts";
import { DAY_MS } from "#store/series/sealed-segments.ts";
import type { Connection } from "#store/sqlite/connection.ts";
import { bytes, number } from "#store/sqlite/row.ts";
import { SCHEMA, SCHEMA_VERSION, UPGRADE } from "./schema.ts";
import {
  CHUNK_COLUMNS,
  CHUNK_FROM,
  createSqliteReader,
  readChunk,
  readSegment,
  renderScalar,
} from "./sqlite-reader.ts";

export function createSqliteKeeper(database: Connection): Keeper {
  prepareSchema(database);
  const heavy = createHeavyDays(database);
  return {
    ...createSqliteReader(database),
    commit(changes) {
      database.script("BEGIN IMMEDIATE");
      try {
        changes();
        database.script("COMMIT");
      } catch (error) {
        if (database.inTransaction) database.script("ROLLBACK");
        throw error;
      }
    },
    define({ series, device, deviceId, attribute, kind }) {
      database.run("INSERT OR IGNORE INTO device (id, device_id) VALUES (?, ?)", device, deviceId);
      database.run(
        "INSERT OR IGNORE INTO series (id, device, attribute, kind) VALUES (?, ?, ?, ?)",
        series,
        device,
        attribute,
        KINDS.indexOf(kind),
      );
    },
    appendJournal(sequence, batch) {
      database.run("INSERT INTO journal (sequence, batch) VALUES (?, ?)", sequence, batch);
    },
    *journal() {
      for (let last = -1; ; ) {
        const row = database.get(
          "SELECT sequence, batch FROM journal WHERE sequence > ? ORDER BY sequence LIMIT 1",
          last,
        );
        if (row === undefined) return;
        last = number(row, "sequence");
        yield { sequence: last, batch: bytes(row, "batch") };
      }
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
          `SELECT device, start, span, row_count, times FROM segment
           WHERE device = ? AND start > ? AND start < ? AND start + span > ? ORDER BY start`,
          device,
          from - DAY_MS,
          to,
          from,
        )
        .map(readSegment),
    chunks: (device, start) =>
      database
        .all(
          `SELECT ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} WHERE s.device = ? AND c.start = ? ORDER BY c.series`,
          device,
          start,
        )
        .map(readChunk),
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
    putLatest(latest) {
      for (const { series, at, value } of latest) {
        database.run(
          `INSERT INTO latest (series, at, value) VALUES (?, ?, ?)
           ON CONFLICT (series) DO UPDATE SET at = excluded.at, value = excluded.value`,
          series,
          at,
          renderScalar(value),
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

/** Bytes of texts from which on the hours of a day stay apart: joining them would take too long, and too much memory. */
const HEAVY_TEXT_BYTES = 32 * 1024 * 1024;

/** Days with very much text. Each is looked at until it is one, and then remembered. */
function createHeavyDays(database: Connection) {
  const known = new Set<string>();
  return {
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
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw new Error("the telemetry was last used by a newer Busbar; use that version");
  const change = version === 0 ? SCHEMA : UPGRADE;
  database.script(`BEGIN IMMEDIATE; ${change}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
}

function putSegment(database: Connection, segment: Segment, chunks: readonly Chunk[]): void {
  database.run(
    "INSERT OR REPLACE INTO segment (device, start, span, row_count, times) VALUES (?, ?, ?, ?, ?)",
    segment.device,
    segment.start,
    segment.span,
    segment.rows,
    segment.times,
  );
  for (const { series, start, span, summary, grain, parts, presence, values } of chunks) {
    database.run(
      `INSERT OR REPLACE INTO chunk (series, start, span, count, first_at, last_at, first_value, last_value,
         sum_high, sum_low, min, max, grain, parts, presence, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      parts,
      presence,
      values,
    );
  }
}
