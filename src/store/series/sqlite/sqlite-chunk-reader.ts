import { number } from "#store/records/row.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { ChunkCount, ChunkReader, ChunkView, SeriesRange } from "#store/series/chunk-reader.ts";
import type { Connection } from "#store/sqlite/connection.ts";
import { readJoined } from "./joined.ts";
import { CHUNK_FROM, checkedRows, endsAfter, HEAD_COLUMNS, LONGEST_SPAN_MS, SEGMENT_COLUMNS } from "./read-rows.ts";
import { createSmallChunks } from "./small-chunks.ts";
import { createCheckComplete, readChanges } from "./tally.ts";

/** Heads that are read at once. */
const HEADS = 64;

/** Throws a DamagedPiece for content that does not match its checksum. Each of many threads may have its own. */
export function createSqliteReader(database: Connection): ChunkReader {
  const view = createView(database);
  const checkComplete = createCheckComplete(database);
  return {
    open(reads) {
      let isChecked = false;
      const check = () => {
        for (const { series, from, to, lookBack } of reads) checkComplete(series, lookBack ?? from, to);
        isChecked = true;
      };
      return {
        view: (use) =>
          database.snapshot(() => {
            if (!isChecked) check();
            return use(view);
          }),
      };
    },
    counts: (ranges) => database.snapshot(() => ranges.map((range) => countsOf(database, range))),
    smallChunks: createSmallChunks(database, checkComplete),
    close: () => database.close(),
  };
}

/** Reads when it is asked: a statement takes some microseconds, so there is nothing to fetch ahead. */
export function createView(database: Connection): ChunkView {
  return {
    nextChunks: ({ series, to }, at) =>
      database
        .all(
          `SELECT ${HEAD_COLUMNS} FROM ${CHUNK_FROM}
           WHERE c.series = ? AND c.start > ? AND c.start < ? AND ${endsAfter("c")} ORDER BY c.start LIMIT ${HEADS}`,
          series,
          // Spans differ (an hour, a day), so the chunk that holds `at` may start well before it.
          at - LONGEST_SPAN_MS,
          to,
          at,
        )
        .map(checkedRows.head),
    lastChunks: ({ series, from }) =>
      database
        .all(
          `SELECT ${HEAD_COLUMNS} FROM ${CHUNK_FROM} WHERE c.series = ? AND c.start < ? ORDER BY c.start DESC LIMIT 2`,
          series,
          from,
        )
        .map(checkedRows.head),
    content: (head) => {
      const { series, start } = head;
      const row = database.get(
        "SELECT checksum, presence, data FROM chunk WHERE series = ? AND start = ?",
        series,
        start,
      );
      if (row === undefined) throw new DamagedPiece({ table: "chunk", key: series, start, span: head.span });
      return checkedRows.content(row, head);
    },
    parts: (head) => {
      const { series, start } = head;
      const row = database.get("SELECT parts_checksum, parts FROM chunk WHERE series = ? AND start = ?", series, start);
      if (row === undefined) throw new DamagedPiece({ table: "chunk", key: series, start, span: head.span });
      return checkedRows.parts(row, head);
    },
    segment: (device, start) => {
      const row = database.get(`SELECT ${SEGMENT_COLUMNS} FROM segment WHERE device = ? AND start = ?`, device, start);
      return row && checkedRows.segment(row);
    },
    joined: (series, stretch, level) => readJoined(database, { series, stretch, level }),
    changes: (series, first, last) => readChanges(database, series, first, last),
  };
}

function countsOf(database: Connection, { series, from, to }: SeriesRange): readonly ChunkCount[] {
  const found = database.all(
    `SELECT c.start, c.span, c.count, g.row_count FROM chunk c JOIN series s ON s.id = c.series
     JOIN segment g ON g.device = s.device AND g.start = c.start
     WHERE c.series = ? AND c.start > ? AND c.start < ? AND c.start + c.span > ?`,
    series,
    from - LONGEST_SPAN_MS,
    to,
    from,
  );
  return found.map((row) => ({
    start: number(row, "start"),
    span: number(row, "span"),
    count: number(row, "count"),
    rows: number(row, "row_count"),
  }));
}
