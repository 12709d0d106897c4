import { areTimes } from "#store/series/codec/times.ts";
import type { ChunkContent, Segment } from "#store/series/keeper.ts";
import type { Connection } from "#store/sqlite/connection.ts";
import { LONGEST_SPAN_MS } from "./sqlite-reader.ts";

/** A chunk with all that it takes to decode it. */
export interface SmallChunk extends ChunkContent {
  readonly count: number;
  /** Where its times are, when the chunk has none of its own. */
  readonly segment: Pick<Segment, "rows" | "times"> | undefined;
}

interface Asked {
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

/** Of all chunks together. */
interface Bounds {
  readonly chunks: number;
  readonly points: number;
  readonly bytes: number;
}

const WHERE = "c.series = ? AND c.start > ? AND c.start < ? AND c.start + c.span > ?";
// SQLite knows the length of a blob without reading it.
const SIZES = `SELECT c.count, length(c.presence) + length(c.data) FROM chunk c WHERE ${WHERE} LIMIT 64`;
const WHOLE = `SELECT c.count, c.presence, c.data FROM chunk c WHERE ${WHERE} ORDER BY c.start`;
const WITH_TIMES = `SELECT c.count, c.presence, c.data, g.row_count, g.times FROM chunk c JOIN series s ON s.id = c.series
  JOIN segment g ON g.device = s.device AND g.start = c.start WHERE ${WHERE} ORDER BY c.start`;

/**
 * All chunks of the series that touch [from, to), in order, or undefined when there is more in them than may be read. Whatever is written
 * meanwhile: they come out of one statement, which sees one state of the store.
 */
export function readSmallChunks(
  database: Connection,
  { series, from, to }: Asked,
  bounds: Bounds,
): readonly SmallChunk[] | undefined {
  const where = [series, from - LONGEST_SPAN_MS, to, from] as const;
  const sizes = database.lists(SIZES, ...where);
  if (sizes.length === 0) return [];
  if (sizes.length > bounds.chunks || sumOf(sizes, 0) > bounds.points || sumOf(sizes, 1) > bounds.bytes)
    return undefined;
  const chunks = database.lists(WHOLE, ...where).map(readChunk);
  // The times of a segment are not much more than the points of a chunk that goes by them: one with few has its own.
  const isWhole = chunks.every(({ presence }) => areTimes(presence));
  return isWhole ? chunks : database.lists(WITH_TIMES, ...where).map(readChunk);
}

function sumOf(rows: readonly (readonly unknown[])[], column: number): number {
  let sum = 0;
  for (const row of rows) sum += Number(row[column]);
  return sum;
}

function readChunk(row: readonly unknown[]): SmallChunk {
  const [presence, values, times] = [row[1], row[2], row[4]];
  if (!(presence instanceof Uint8Array && values instanceof Uint8Array)) throw new Error("a chunk holds no bytes");
  const segment = times instanceof Uint8Array ? { rows: Number(row[3]), times } : undefined;
  return { count: Number(row[0]), presence, values, segment };
}
