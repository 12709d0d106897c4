// Rows of the telemetry file as values, each compared with its checksum.
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { bytes, number, text } from "#store/records/row.ts";
import { KINDS, type Scalar, type SeriesDefinition } from "#store/series/batch.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { Chunk, ChunkContent, ChunkHead, Latest, Segment } from "#store/series/chunk.ts";
import type { JournalRow, OnDamaged } from "#store/series/chunk-store.ts";
import { unpackGrain } from "#store/series/held-parts.ts";
import {
  contentSum,
  definitionSum,
  deviceSum,
  headSum,
  journalSum,
  latestSum,
  partsSum,
  segmentSum,
  seriesSum,
} from "#store/series/piece-sums.ts";
import type { Row } from "#store/sqlite/connection.ts";
import { checkRow, placeOf } from "./checked-rows.ts";

export const HEAD_COLUMNS = `c.series, c.start, c.span, c.count, c.first_at, c.last_at, c.first_value, c.last_value,
  c.sum_high, c.sum_low, c.min, c.max, c.grain, c.head_checksum, s.kind`;
export const CHUNK_COLUMNS = `${HEAD_COLUMNS}, c.parts_checksum, c.checksum, c.parts, c.presence, c.data`;
export const SEGMENT_COLUMNS = "device, start, span, row_count, checksum, times";
export const DEFINITIONS = `SELECT s.id, s.device, d.device_id, s.attribute, s.kind, s.checksum,
  d.checksum AS device_checksum FROM series s LEFT JOIN device d ON d.id = s.device`;
/** Includes chunks whose series is missing: they are damaged, and must be seen to be reported. */
export const CHUNK_FROM = "chunk c LEFT JOIN series s ON s.id = c.series";

export const LONGEST_SPAN_MS = 24 * 3_600_000;
/** Whether a row ends after a time. A row of an impossible length is damaged, and must be seen to be reported. */
export const endsAfter = (row: string) =>
  `(${row}.start + ${row}.span > ? OR coalesce(${row}.span, 0) NOT IN (3600000, ${LONGEST_SPAN_MS}))`;

/** The rows that match their checksums. */
export function rightOnes<Read>(rows: readonly Row[], read: (row: Row) => Read, onDamaged: OnDamaged): readonly Read[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      onDamaged(error.place);
      return [];
    }
  });
}

const ofChunk = (row: Row) => () => placeOf("chunk", row, "series");
const ofHead = (head: ChunkHead) => () =>
  ({ table: "chunk", key: head.series, start: head.start, span: head.span }) as const;
const head = (row: Row): ChunkHead =>
  checkRow(row, { column: "head_checksum", read: () => readHead(row), sum: headSum, place: ofChunk(row) });
const content = (row: Row, of: ChunkHead): ChunkContent =>
  checkRow(row, {
    column: "checksum",
    read: () => ({ presence: bytes(row, "presence"), values: bytes(row, "data") }),
    sum: (read) => contentSum({ ...of, count: of.summary.count }, read),
    place: ofHead(of),
  });
const parts = (row: Row, of: ChunkHead): Uint8Array =>
  checkRow(row, {
    column: "parts_checksum",
    read: () => bytes(row, "parts"),
    sum: (read) => partsSum(of, read),
    place: ofHead(of),
  });

/** Each returns the content of a row, or throws a DamagedPiece. */
export const checkedRows = {
  head,
  content,
  parts,
  chunk: (row: Row): Chunk => {
    const own = head(row);
    return { ...own, parts: parts(row, own), ...content(row, own) };
  },
  segment: (row: Row): Segment =>
    checkRow(row, {
      column: "checksum",
      read: () => readSegment(row),
      sum: segmentSum,
      place: () => placeOf("segment", row, "device"),
    }),
  journal: (row: Row): JournalRow =>
    checkRow(row, {
      column: "checksum",
      read: () => ({ sequence: number(row, "sequence"), batch: bytes(row, "batch") }),
      sum: ({ sequence, batch }) => journalSum(sequence, batch),
      place: () => placeOf("journal", row, "sequence"),
    }),
  latest: (row: Row): Latest =>
    checkRow(row, {
      column: "checksum",
      read: () => ({ series: number(row, "series"), at: number(row, "at"), value: readScalar(row, "value") }),
      sum: latestSum,
      place: () => placeOf("latest", row, "series"),
    }),
  definitionCopy: (row: Row): SeriesDefinition =>
    checkRow(row, {
      column: "checksum",
      read: () => readDefinition(row),
      sum: definitionSum,
      place: () => placeOf("series", row, "id"),
    }),
  definition: (row: Row): SeriesDefinition => {
    checkRow(row, {
      column: "device_checksum",
      read: () => readDefinition(row),
      sum: ({ device, deviceId }) => deviceSum(device, deviceId),
      place: () => placeOf("series", row, "id"),
    });
    return checkRow(row, {
      column: "checksum",
      read: () => readDefinition(row),
      sum: ({ series, device, kind, attribute }) => seriesSum([series, device, KINDS.indexOf(kind)], attribute),
      place: () => placeOf("series", row, "id"),
    });
  },
};

function readSegment(row: Row): Segment {
  return {
    device: number(row, "device"),
    start: number(row, "start"),
    span: number(row, "span"),
    rows: number(row, "row_count"),
    times: bytes(row, "times"),
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
    ...unpackGrain(number(row, "grain")),
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
