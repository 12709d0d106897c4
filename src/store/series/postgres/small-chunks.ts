import type { Client } from "pg";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { ChunkReader, SeriesRange, StoreState } from "#store/series/chunk-reader.ts";
import { areTimes } from "#store/series/codec/times.ts";
import { contentSum } from "#store/series/piece-sums.ts";
import { partitionOf } from "#store/series/shared-store.ts";
import { LONGEST_SPAN_MS, readSegment } from "./rows.ts";

interface SmallRow {
  readonly device: number;
  readonly start: number;
  readonly span: number;
  readonly count: number;
  readonly checksum: number;
  readonly presence: Uint8Array;
  readonly data: Uint8Array;
  readonly row_count: number;
  readonly segment_span: number;
  readonly segment_checksum: number;
  readonly times: Uint8Array | null;
}

const FROM = `FROM telemetry_chunk c
  WHERE c.partition = $9::smallint AND c.device = $8 AND c.series = $1 AND c.start > $2 AND c.start < $3 AND c.start + c.span > $4`;

/** One statement, which sees one state of the store. It gives no row when the chunks exceed the limits. */
const WHOLE = `WITH found AS (SELECT c.* ${FROM} ORDER BY c.start LIMIT $5::bigint + 1),
  size AS (SELECT count(*) AS chunks, sum(count) AS points, sum(octet_length(presence) + octet_length(data)) AS bytes FROM found)
SELECT (SELECT epoch FROM telemetry_partition WHERE partition = $9::smallint) AS epoch,
  size.chunks <= $5 AND size.points <= $6 AND size.bytes <= $7 AS is_small, f.device, f.start, f.span, f.count,
  f.checksum, f.presence, f.data, g.row_count, g.span AS segment_span, g.checksum AS segment_checksum, g.times
FROM size LEFT JOIN found f ON size.chunks <= $5 AND size.points <= $6 AND size.bytes <= $7
LEFT JOIN telemetry_segment g ON g.partition = $9::smallint AND g.device = f.device AND g.start = f.start ORDER BY f.start`;

interface SmallChunks {
  readonly chunks: Awaited<ReturnType<ChunkReader["smallChunks"]>>;
  readonly state: StoreState;
}
type Limits = Parameters<ChunkReader["smallChunks"]>[1];

export async function readSmallChunks(
  client: Client,
  { device, series, from, to }: SeriesRange,
  limits: Limits,
): Promise<SmallChunks> {
  const partition = partitionOf(device);
  const { rows } = await client.query<SmallRow & { readonly is_small: boolean | null; readonly epoch: number }>({
    name: "small",
    text: WHOLE,
    values: [
      series,
      Math.floor(from) - LONGEST_SPAN_MS,
      Math.ceil(to),
      Math.floor(from),
      limits.chunks,
      limits.points,
      limits.bytes,
      device,
      partition,
    ],
  });
  const [first] = rows;
  if (first === undefined) throw new Error("a sum without a row");
  const state: StoreState = [[partition, first.epoch]];
  // Without any chunk there are no sums to compare.
  if (first.is_small === null) return { chunks: [], state };
  if (!first.is_small) return { chunks: undefined, state };
  const chunks = rows.map((row) => {
    const { start, span, count, presence, data: values, checksum } = row;
    if (contentSum({ series, start, count }, { presence, values }) !== checksum) {
      throw new DamagedPiece({ table: "chunk", key: series, start, span });
    }
    return { count, presence, values, segment: areTimes(presence) ? undefined : segmentOf(row) };
  });
  return { chunks, state };
}

function segmentOf({ device, start, row_count, segment_span, segment_checksum, times }: SmallRow) {
  if (times === null) throw new DamagedPiece({ table: "segment", key: device, start, span: 0 });
  return readSegment({ device, start, span: segment_span, rows: row_count, times }, segment_checksum);
}
