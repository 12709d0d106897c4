// Small chunks in as few statements as possible: for the thread that has other callers, no transaction and no heads.
import { DamagedPiece } from "#store/series/checksum.ts";
import type { ChunkReader, SmallChunk } from "#store/series/chunk-reader.ts";
import { areTimes } from "#store/series/codec/times.ts";
import { contentSum, segmentSum } from "#store/series/piece-sums.ts";
import type { Connection } from "#store/sqlite/connection.ts";
import { endsAfter, LONGEST_SPAN_MS } from "./read-rows.ts";
import type { CheckComplete } from "./tally.ts";

const WHERE = `c.series = ? AND c.start > ? AND c.start < ? AND ${endsAfter("c")}`;
// SQLite knows the length of a blob without reading it.
const SIZES = `SELECT c.count, length(c.presence) + length(c.data) FROM chunk c WHERE ${WHERE} LIMIT 64`;
const WHOLE = `SELECT c.count, c.presence, c.data, c.checksum, c.start, c.span FROM chunk c WHERE ${WHERE} ORDER BY c.start`;
const WITH_TIMES = `SELECT c.count, c.presence, c.data, c.checksum, c.start, c.span,
  g.device, g.row_count, g.times, g.checksum, g.span FROM chunk c LEFT JOIN series s ON s.id = c.series
  LEFT JOIN segment g ON g.device = s.device AND g.start = c.start WHERE ${WHERE} ORDER BY c.start`;

/** The chunks come from one statement, which sees one state of the store whatever is written meanwhile. */
export function createSmallChunks(database: Connection, checkComplete: CheckComplete): ChunkReader["smallChunks"] {
  function readChunk(row: readonly unknown[], series: number): SmallChunk {
    const [count, presence, values, sum, start, span] = row;
    const place = { table: "chunk", key: series, start: Number(start), span: Number(span) } as const;
    const areBytes = presence instanceof Uint8Array && values instanceof Uint8Array;
    const isWhole =
      areBytes && sum === contentSum({ series, start: place.start, count: Number(count) }, { presence, values });
    if (!isWhole) throw new DamagedPiece(place);
    return { count: Number(count), presence, values, segment: readSegment(row, place.start) };
  }

  function readSegment(row: readonly unknown[], start: number): SmallChunk["segment"] {
    const [device, rows, times, sum, span] = row.slice(6);
    if (row.length <= 6) return undefined;
    const segment = { device: Number(device), start, span: Number(span), rows: Number(rows) };
    const isWhole = times instanceof Uint8Array && sum === segmentSum({ ...segment, times });
    if (!isWhole) throw new DamagedPiece({ table: "segment", key: segment.device, start, span: segment.span });
    return { rows: segment.rows, times };
  }

  return ({ series, from, to }, limits) => {
    checkComplete(series, from, to);
    const where = [series, from - LONGEST_SPAN_MS, to, from] as const;
    const sizes = database.lists(SIZES, ...where);
    if (sizes.length === 0) return [];
    if (sizes.length > limits.chunks || sumOf(sizes, 0) > limits.points || sumOf(sizes, 1) > limits.bytes)
      return undefined;
    const chunks = database.lists(WHOLE, ...where).map((row) => readChunk(row, series));
    // A segment has not many more times than a chunk that uses them has points: a series with few values has its own
    // times.
    const isWhole = chunks.every(({ presence }) => areTimes(presence));
    return isWhole ? chunks : database.lists(WITH_TIMES, ...where).map((row) => readChunk(row, series));
  };
}

function sumOf(rows: readonly (readonly unknown[])[], column: number): number {
  let sum = 0;
  for (const row of rows) sum += Number(row[column]);
  return sum;
}
