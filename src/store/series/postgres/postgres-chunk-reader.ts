// Queries over chunks in PostgreSQL. A view takes two round trips: the heads of all series of the query, then everything
// that the query wants of these chunks, as one binary COPY. Both see one state of the database.
import type { Client } from "pg";
import type { Connection } from "#store/postgres/connect.ts";
import { serverTrouble } from "#store/postgres/trouble.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { ChunkContent, ChunkHead, Segment } from "#store/series/chunk.ts";
import type { ChunkCount, ChunkReader, ChunkView, SeriesRange, SeriesReads } from "#store/series/chunk-reader.ts";
import { copyRows, readBytes, readInteger } from "./copy-rows.ts";
import { LONGEST_SPAN_MS, readContent, readHead, readParts, readSegment } from "./rows.ts";
import { readSmallChunks } from "./small-chunks.ts";

/** Heads that a view has, of all series together. */
const VIEW_HEADS = 4_000;
/** Bytes that a view fetches at most; the first chunk in time comes always. */
const VIEW_BYTES = 8 * 1024 * 1024;

export function createPostgresReader(connection: Connection): ChunkReader {
  /** One after the other: statements of two transactions must not mix. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: (client: Client) => Promise<Result>): Promise<Result> => {
    const start = async () => work(await connection.get());
    const next = last.then(start, start).catch((error: unknown) => {
      throw serverTrouble(error) ?? error;
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    open(reads) {
      let isFirst = true;
      return {
        async view(use) {
          const view = await inTurn((client) => fetchView(client, reads, isFirst));
          isFirst = false;
          return use(view);
        },
      };
    },
    counts: (ranges) => inTurn((client) => readCounts(client, ranges)),
    smallChunks: (range, limits) => inTurn((client) => readSmallChunks(client, range, limits)),
    async close() {
      await last;
      await connection.close();
    },
  };
}

interface HeadRow {
  readonly place: number;
  readonly start: number;
  readonly span: number;
  readonly head_checksum: number;
  readonly head: Uint8Array;
  readonly parts_bytes: number;
  readonly content_bytes: number;
}

interface FoundHead {
  readonly reads: SeriesReads;
  readonly head: ChunkHead;
  readonly bytes: { readonly parts: number; readonly content: number };
}

async function fetchView(client: Client, reads: readonly SeriesReads[], isFirst: boolean): Promise<ChunkView> {
  const perSeries = Math.max(2, Math.ceil(VIEW_HEADS / Math.max(1, reads.length)));
  const looking = isFirst ? reads.filter(({ lookBack }) => lookBack !== undefined) : [];
  // One message: the transaction begins with the statement that reads first.
  const answers = (await client.query(
    [BEGIN, headsSql(reads, perSeries), ...(looking.length > 0 ? [lastHeadsSql(looking)] : [])].join(";"),
  )) as unknown as readonly { readonly rows: readonly HeadRow[] }[];
  try {
    const next = (answers[1]?.rows ?? []).map((row) => foundHead(reads, row));
    const before = (answers[2]?.rows ?? []).map((row) => foundHead(looking, row));
    const { fitting, isCut } = withinBytes(next);
    const pieces = await fetchPieces(client, [...fitting, ...before]);
    return createView({ reads, looking, fitting, before, pieces, perSeries, isCut, all: next });
  } finally {
    // The answer to this is awaited by nobody; the next statement comes after it anyway.
    void client.query("COMMIT").catch(() => {});
  }
}

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const HEAD_COLUMNS = `c.start, c.span, c.head_checksum, c.head, octet_length(c.parts) AS parts_bytes,
  octet_length(c.presence) + octet_length(c.data) AS content_bytes`;

/** Whole numbers only, so they can stand in the text of the statement. */
const whole = (value: number, round: (value: number) => number) =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, round(value)));
const arrayOf = (values: readonly number[]) => `ARRAY[${values.join(",")}]::bigint[]`;

function headsSql(reads: readonly SeriesReads[], limit: number): string {
  return `SELECT p.place, ${HEAD_COLUMNS} FROM unnest(
      ${arrayOf(reads.map(({ device }) => device))}, ${arrayOf(reads.map(({ series }) => series))},
      ${arrayOf(reads.map(({ at }) => whole(at, Math.floor)))}, ${arrayOf(reads.map(({ to }) => whole(to, Math.ceil)))}
    ) WITH ORDINALITY AS p(device, series, at, before, place)
    CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.device = p.device AND c.series = p.series
      AND c.start > p.at - ${LONGEST_SPAN_MS} AND c.start < p.before AND c.start + c.span > p.at
      ORDER BY c.start LIMIT ${limit}) AS c
    ORDER BY c.start, p.place`;
}

function lastHeadsSql(reads: readonly SeriesReads[]): string {
  return `SELECT p.place, ${HEAD_COLUMNS} FROM unnest(
      ${arrayOf(reads.map(({ device }) => device))}, ${arrayOf(reads.map(({ series }) => series))},
      ${arrayOf(reads.map(({ from }) => whole(from, Math.ceil)))}
    ) WITH ORDINALITY AS p(device, series, before, place)
    CROSS JOIN LATERAL (SELECT * FROM telemetry_chunk c WHERE c.device = p.device AND c.series = p.series
      AND c.start < p.before ORDER BY c.start DESC LIMIT 2) AS c
    ORDER BY p.place, c.start DESC`;
}

function foundHead(reads: readonly SeriesReads[], row: HeadRow): FoundHead {
  const own = reads[row.place - 1];
  if (own === undefined) throw new Error("a chunk came that nobody asked for");
  const head = readHead({ series: own.series, start: row.start, span: row.span }, row.head, row.head_checksum);
  return { reads: own, head, bytes: { parts: row.parts_bytes, content: row.content_bytes } };
}

/** The first heads in time, as long as what is wanted of them fits a view. */
function withinBytes(found: readonly FoundHead[]) {
  let bytes = 0;
  const end = found.findIndex(({ reads, head, bytes: { parts, content } }, index) => {
    const wanted = reads.wanted(head);
    bytes += (wanted.parts ? parts : 0) + (wanted.content ? content : 0);
    return index > 0 && bytes > VIEW_BYTES;
  });
  return end < 0 ? { fitting: found, isCut: false } : { fitting: found.slice(0, end), isCut: true };
}

interface Pieces {
  readonly parts: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly sum: number }>;
  readonly contents: ReadonlyMap<string, { readonly content: ChunkContent; readonly sum: number }>;
  readonly segments: ReadonlyMap<string, Segment>;
}

const keyOf = (owner: number, start: number) => `${owner}/${start}`;
const CONTENT = 0;
const PARTS = 1;
const SEGMENT = 2;

async function fetchPieces(client: Client, heads: readonly FoundHead[]): Promise<Pieces> {
  const wanted = heads.map(({ reads, head }) => ({ reads, head, ...reads.wanted(head) }));
  const withContent = wanted.filter(({ content }) => content);
  const withParts = wanted.filter(({ parts }) => parts);
  const selects = [
    ...(withContent.length > 0
      ? [chunkSql(CONTENT, "c.checksum, c.presence, c.data", withContent), segmentSql(withContent)]
      : []),
    ...(withParts.length > 0 ? [chunkSql(PARTS, "c.parts_checksum, c.parts, NULL::bytea", withParts)] : []),
  ];
  const rows = selects.length === 0 ? [] : await copyRows(client, selects.join(" UNION ALL "));
  const parts = new Map<string, { bytes: Uint8Array; sum: number }>();
  const contents = new Map<string, { content: ChunkContent; sum: number }>();
  const segments = new Map<string, Segment>();
  for (const [kind, owner, start, span, rowCount, sum, first, second] of rows) {
    const key = keyOf(readInteger(owner), readInteger(start));
    const stored = readInteger(sum);
    switch (readInteger(kind)) {
      case CONTENT:
        contents.set(key, { content: { presence: readBytes(first), values: readBytes(second) }, sum: stored });
        break;
      case PARTS:
        parts.set(key, { bytes: readBytes(first), sum: stored });
        break;
      default: {
        const place = { device: readInteger(owner), start: readInteger(start), span: readInteger(span) };
        segments.set(key, readSegment({ ...place, rows: readInteger(rowCount), times: readBytes(first) }, stored));
      }
    }
  }
  return { parts, contents, segments };
}

type Wanted = Pick<FoundHead, "reads" | "head">;

function chunkSql(kind: number, columns: string, heads: readonly Wanted[]): string {
  return `SELECT ${kind}::bigint, c.series, c.start, 0::bigint, 0::bigint, ${columns}
    FROM (VALUES ${heads.map(({ reads, head }) => `(${reads.device}::bigint,${head.series}::bigint,${head.start}::bigint)`).join(",")})
      AS k(device, series, start)
    JOIN telemetry_chunk c ON c.device = k.device AND c.series = k.series AND c.start = k.start`;
}

function segmentSql(heads: readonly Wanted[]): string {
  const places = new Set(heads.map(({ reads, head }) => `(${reads.device}::bigint,${head.start}::bigint)`));
  return `SELECT ${SEGMENT}::bigint, g.device, g.start, g.span, g.row_count, g.checksum, g.times, NULL::bytea
    FROM (VALUES ${[...places].join(",")}) AS k(device, start)
    JOIN telemetry_segment g ON g.device = k.device AND g.start = k.start`;
}

interface Fetched {
  readonly reads: readonly SeriesReads[];
  readonly looking: readonly SeriesReads[];
  /** All heads that were found, and those of them whose pieces were fetched. */
  readonly all: readonly FoundHead[];
  readonly fitting: readonly FoundHead[];
  readonly before: readonly FoundHead[];
  readonly pieces: Pieces;
  /** How many heads of a series were asked for. */
  readonly perSeries: number;
  readonly isCut: boolean;
}

function createView({ reads, looking, all, fitting, before, pieces, perSeries, isCut }: Fetched): ChunkView {
  const headsOf = (found: readonly FoundHead[], own: SeriesReads) =>
    found.filter((one) => one.reads === own).map(({ head }) => head);
  const windows = new Map(
    reads.map((own) => {
      const heads = headsOf(fitting, own);
      const known = isCut || all.length >= perSeries ? headsOf(all, own).length : heads.length;
      return [own, { heads, isAll: heads.length === known && known < perSeries }];
    }),
  );
  const last = new Map(looking.map((own) => [own, headsOf(before, own)]));
  return {
    nextChunks(own, at) {
      const { heads, isAll } = planned(windows.get(own), "chunks");
      const left = heads.filter(({ start, span }) => start + span > at);
      return left.length > 0 || isAll ? left : undefined;
    },
    lastChunks: (own) => planned(last.get(own), "last chunks"),
    content(head) {
      const found = pieces.contents.get(keyOf(head.series, head.start));
      if (found === undefined) throw missing(head);
      return readContent(head, found.content, found.sum);
    },
    parts(head) {
      const found = pieces.parts.get(keyOf(head.series, head.start));
      if (found === undefined) throw missing(head);
      return readParts(head, found.bytes, found.sum);
    },
    segment: (device, start) => pieces.segments.get(keyOf(device, start)),
  };
}

function planned<Piece>(piece: Piece | undefined, what: string): Piece {
  if (piece === undefined) throw new Error(`this view has no such ${what}: nobody planned to read them`);
  return piece;
}

function missing({ series, start, span }: ChunkHead): DamagedPiece {
  return new DamagedPiece({ table: "chunk", key: series, start, span });
}

async function readCounts(client: Client, ranges: readonly SeriesRange[]): Promise<readonly (readonly ChunkCount[])[]> {
  const found: ChunkCount[][] = ranges.map(() => []);
  if (ranges.length === 0) return found;
  const { rows } = await client.query<ChunkCount & { readonly place: number }>(
    `SELECT p.place, c.start, c.span, c.count, g.row_count AS rows FROM unnest(
       ${arrayOf(ranges.map(({ series }) => series))}, ${arrayOf(ranges.map(({ from }) => whole(from, Math.floor)))},
       ${arrayOf(ranges.map(({ to }) => whole(to, Math.ceil)))}
     ) WITH ORDINALITY AS p(series, at, before, place)
     JOIN telemetry_series s ON s.id = p.series
     JOIN telemetry_chunk c ON c.device = s.device AND c.series = s.id
       AND c.start > p.at - ${LONGEST_SPAN_MS} AND c.start < p.before AND c.start + c.span > p.at
     JOIN telemetry_segment g ON g.device = c.device AND g.start = c.start
     ORDER BY p.place, c.start`,
  );
  for (const { place, start, span, count, rows: shared } of rows) {
    found[place - 1]?.push({ start, span, count, rows: shared });
  }
  return found;
}
