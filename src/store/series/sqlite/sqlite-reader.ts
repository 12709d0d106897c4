import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { KINDS, type Scalar, type SeriesDefinition } from "#store/series/batch.ts";
import type { Chunk, ChunkHead, KeeperReader, Segment } from "#store/series/keeper.ts";
import type { Connection, Row } from "#store/sqlite/connection.ts";
import { bytes, number, text } from "#store/sqlite/row.ts";

const HEAD_COLUMNS = `c.series, c.start, c.span, c.count, c.first_at, c.last_at, c.first_value, c.last_value,
  c.sum_high, c.sum_low, c.min, c.max, c.grain, s.kind`;
export const CHUNK_COLUMNS = `${HEAD_COLUMNS}, c.parts, c.presence, c.data`;
/** Heads read at once. */
const HEADS = 64;
export const CHUNK_FROM = "chunk c JOIN series s ON s.id = c.series";

export const LONGEST_SPAN_MS = 24 * 3_600_000;

/** Reads what is sealed. Any number of threads may have one each. */
export function createSqliteReader(database: Connection): KeeperReader {
  return {
    definitions: () =>
      database
        .all("SELECT s.id, s.device, d.device_id, s.attribute, s.kind FROM series s JOIN device d ON d.id = s.device")
        .map(readDefinition),
    latest: () =>
      database
        .all("SELECT l.series, l.at, l.value, s.kind FROM latest l JOIN series s ON s.id = l.series")
        .map((row) => ({ series: number(row, "series"), at: number(row, "at"), value: readScalar(row, "value") })),
    nextChunks: (series, at, before) =>
      database
        .all(
          `SELECT ${HEAD_COLUMNS} FROM ${CHUNK_FROM}
           WHERE c.series = ? AND c.start > ? AND c.start < ? AND c.start + c.span > ? ORDER BY c.start LIMIT ${HEADS}`,
          series,
          // Spans differ (an hour, a day), so the chunk that holds `at` may start well before it.
          at - LONGEST_SPAN_MS,
          before,
          at,
        )
        .map(readHead),
    lastChunk: (series, at) => {
      const row = database.get(
        `SELECT ${HEAD_COLUMNS} FROM ${CHUNK_FROM} WHERE c.series = ? AND c.start < ? ORDER BY c.start DESC LIMIT 1`,
        series,
        at,
      );
      return row && readHead(row);
    },
    content: ({ series, start }) => {
      const row = database.get("SELECT presence, data FROM chunk WHERE series = ? AND start = ?", series, start);
      if (row === undefined) throw new Error(`there is no chunk of series ${series} at ${start}`);
      return { presence: bytes(row, "presence"), values: bytes(row, "data") };
    },
    parts: ({ series, start }) => {
      const row = database.get("SELECT parts FROM chunk WHERE series = ? AND start = ?", series, start);
      if (row === undefined) throw new Error(`there is no chunk of series ${series} at ${start}`);
      return bytes(row, "parts");
    },
    counts: (series, from, to) =>
      database
        .all(
          `SELECT c.start, c.span, c.count, g.row_count FROM chunk c JOIN series s ON s.id = c.series
           JOIN segment g ON g.device = s.device AND g.start = c.start
           WHERE c.series = ? AND c.start > ? AND c.start < ? AND c.start + c.span > ?`,
          series,
          from - LONGEST_SPAN_MS,
          to,
          from,
        )
        .map((row) => ({
          start: number(row, "start"),
          span: number(row, "span"),
          count: number(row, "count"),
          rows: number(row, "row_count"),
        })),
    segment: (device, start) => {
      const row = database.get(
        "SELECT device, start, span, row_count, times FROM segment WHERE device = ? AND start = ?",
        device,
        start,
      );
      return row && readSegment(row);
    },
    close: () => database.close(),
  };
}

export function readSegment(row: Row): Segment {
  return {
    device: number(row, "device"),
    start: number(row, "start"),
    span: number(row, "span"),
    rows: number(row, "row_count"),
    times: bytes(row, "times"),
  };
}

export function readChunk(row: Row): Chunk {
  return {
    ...readHead(row),
    parts: bytes(row, "parts"),
    presence: bytes(row, "presence"),
    values: bytes(row, "data"),
  };
}

function readHead(row: Row): ChunkHead {
  return {
    series: number(row, "series"),
    start: number(row, "start"),
    span: number(row, "span"),
    summary: {
      count: number(row, "count"),
      firstAt: number(row, "first_at"),
      lastAt: number(row, "last_at"),
      first: readScalar(row, "first_value"),
      last: readScalar(row, "last_value"),
      sum: { high: number(row, "sum_high"), low: number(row, "sum_low") },
      min: number(row, "min"),
      max: number(row, "max"),
    },
    grain: number(row, "grain"),
  };
}

/** Booleans are kept as 0 and 1. */
export function renderScalar(value: Scalar): number | string {
  return typeof value === "boolean" ? Number(value) : value;
}

function readScalar(row: Row, column: string): Scalar {
  const kind = kindOf(row);
  const value = row[column];
  if (kind === "boolean") return value === 1;
  return kind === "number" ? Number(value) : String(value);
}

function readDefinition(row: Row): SeriesDefinition {
  return {
    series: number(row, "id"),
    device: number(row, "device"),
    deviceId: text(row, "device_id"),
    attribute: text(row, "attribute"),
    kind: kindOf(row),
  };
}

function kindOf(row: Row): ColumnKind {
  return KINDS[number(row, "kind")] ?? "text";
}
