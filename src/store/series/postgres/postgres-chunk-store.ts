// Segments, chunks and the shared journal in PostgreSQL. Statements of one commit are sent without waiting for each
// other's answers.
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { isWorthRepeating } from "#store/postgres/trouble.ts";
import { KINDS } from "#store/series/batch.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { Chunk, Latest, StoredSegment, Stretch } from "#store/series/chunk.ts";
import type { DeviceDay, DropTarget, OnDamaged } from "#store/series/chunk-store.ts";
import type { HeldStore } from "#store/series/held-store.ts";
import { contentSum, headSum, latestSum, partsSum, segmentSum } from "#store/series/piece-sums.ts";
import {
  OutpacedError,
  PARTITIONS,
  partitionOf,
  type SharedChanges,
  type SharedStore,
} from "#store/series/shared-store.ts";
import type { Claims } from "./claims.ts";
import { packHead, packScalar, unpackScalar } from "./pack-head.ts";
import { checked, readContent, readHead, readParts, readSegment } from "./rows.ts";
import { createScrub } from "./scrub.ts";
import { createSeriesNumbers } from "./series-numbers.ts";
import type { SharedJournal } from "./shared-journal.ts";
import type { Statement, Transactions } from "./transactions.ts";

/** With this many bytes of text the hours of a day stay apart: joining them would take too much time and memory. */
const HEAVY_TEXT_BYTES = 32 * 1024 * 1024;
/** What telemetry_advance raises. */
const OUTPACED = "BB001";

interface StoreParts {
  /** For background work. */
  readonly jobs: Transactions;
  readonly journal: SharedJournal;
  readonly claims: Claims;
  readonly held: HeldStore;
  readonly onDamaged: OnDamaged;
  close(): Promise<void>;
}

export function createPostgresChunkStore({ jobs, journal, claims, held, onDamaged, close }: StoreParts): SharedStore {
  const { query } = jobs;
  const skipped = new Set<string>();
  return {
    ...createSeriesNumbers(jobs),
    append: journal.append,
    read: journal.read,
    async commit(partition, epoch, changes) {
      const statements = statementsOf(changes);
      const rows = await journal.statementsOf(partition, changes);
      await advancing(jobs, { partition, epoch }, [...statements, ...rows]);
    },
    async latest(device, onDamaged) {
      const { rows } = await query<LatestRow>(
        "SELECT series, at, checksum, value FROM telemetry_latest WHERE device = $1",
        [device],
      );
      return rows.flatMap((row) => orReport(() => parseLatest(row), onDamaged));
    },
    async findSegments(device, from, to) {
      const { rows } = await query<Stretch>(
        `SELECT device, start, span FROM telemetry_segment WHERE ${TOUCHES} ORDER BY start`,
        touching(device, from, to),
      );
      return rows;
    },
    // What the server has counted itself; counting rows would read the whole index.
    async countChunks() {
      const { rows } = await query<{ readonly chunks: number }>(
        `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS chunks FROM pg_class
         WHERE oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'telemetry_chunk'::regclass)`,
        [],
      );
      return rows[0]?.chunks ?? 0;
    },
    space: () => undefined,
    async newestSegment(device, before) {
      const { rows } = await query<Stretch>(
        "SELECT device, start, span FROM telemetry_segment WHERE device = $1 AND start < $2 ORDER BY start DESC LIMIT 1",
        [device, before],
      );
      return rows[0];
    },
    readSegments: (device, from, to) => readSegments(query, touching(device, from, to)),
    async dayToCompact(before, partitions) {
      const { rows } = await query<DeviceDay>(
        `SELECT DISTINCT floor(start / ${DAY_MS}.0)::bigint AS day, device FROM telemetry_segment
         WHERE span = ${HOUR_MS} AND start < $1 AND device % ${PARTITIONS} = ANY ($2::bigint[]) ORDER BY day, device`,
        [Math.ceil(before), partitions],
      );
      for (const one of rows) if (!skipped.has(keyOf(one)) && !(await isHeavy(query, one))) return one;
      return undefined;
    },
    skipDay: (day) => void skipped.add(keyOf(day)),
    drop: (whose, before, limit) => drop(jobs, whose, { before: Math.floor(before), limit }),
    held,
    scrub: createScrub(query, onDamaged),
    claim: claims.claim,
    close,
  };
}

/** All of them or none, if the partition's epoch is the known one. */
async function advancing(
  { run }: Transactions,
  { partition, epoch }: { readonly partition: number; readonly epoch: number | undefined },
  statements: readonly Statement[],
): Promise<void> {
  const advance = { sql: "SELECT telemetry_advance($1::smallint, $2::bigint)", values: [partition, epoch ?? null] };
  try {
    await run([advance, ...statements]);
  } catch (error) {
    const isOutpaced = error instanceof Error && "code" in error && error.code === OUTPACED;
    throw isOutpaced || isWorthRepeating(error) ? new OutpacedError() : error;
  }
}

type Query = Transactions["query"];

const keyOf = ({ device, day }: DeviceDay) => `${device}/${day}`;
/** Segments of a device that touch [from, to). */
const TOUCHES = "device = $1 AND start > $2 AND start < $3 AND start + span > $4";
const touching = (device: number, from: number, to: number) => [
  device,
  Math.floor(from) - DAY_MS,
  Math.ceil(to),
  Math.floor(from),
];

interface LatestRow {
  readonly series: number;
  readonly at: number;
  readonly checksum: number;
  readonly value: Uint8Array;
}

function parseLatest({ series, at, checksum, value }: LatestRow): Latest {
  return checked({ table: "latest", key: series, start: 0, span: 0 }, checksum, () => {
    const latest: Latest = { series, at, value: unpackScalar(value)[0] };
    return [latest, latestSum(latest)];
  });
}

/** Damage is reported, and the damaged piece left out. */
function orReport<Read>(read: () => Read, onDamaged: OnDamaged): readonly Read[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof DamagedPiece)) throw error;
    onDamaged(error.place);
    return [];
  }
}

interface SegmentRow {
  readonly device: number;
  readonly start: number;
  readonly span: number;
  readonly row_count: number;
  readonly segment_checksum: number;
  /** Comes with its first chunk only. */
  readonly times: Uint8Array | null;
  readonly series: number | null;
  readonly chunk_span: number;
  readonly head_checksum: number;
  readonly parts_checksum: number;
  readonly checksum: number;
  readonly head: Uint8Array;
  readonly parts: Uint8Array;
  readonly presence: Uint8Array;
  readonly data: Uint8Array;
}

/** One statement, because another node may change the segment at any time. */
async function readSegments(query: Query, where: readonly number[]): Promise<readonly StoredSegment[]> {
  const { rows } = await query<SegmentRow>(
    `SELECT g.device, g.start, g.span, g.row_count, g.checksum AS segment_checksum,
       CASE row_number() OVER (PARTITION BY g.start ORDER BY c.series) WHEN 1 THEN g.times END AS times,
       c.series, c.span AS chunk_span, c.head_checksum, c.parts_checksum, c.checksum, c.head, c.parts, c.presence, c.data
     FROM (SELECT * FROM telemetry_segment WHERE ${TOUCHES}) AS g
     LEFT JOIN telemetry_chunk c ON c.device = g.device AND c.start = g.start ORDER BY g.start, c.series`,
    where,
  );
  const found: { readonly segment: StoredSegment["segment"]; readonly chunks: Chunk[] }[] = [];
  for (const row of rows) {
    const { device, start, span, series, times } = row;
    if (times !== null) {
      const segment = readSegment({ device, start, span, rows: row.row_count, times }, row.segment_checksum);
      found.push({ segment, chunks: [] });
    }
    if (series === null) continue;
    const head = readHead({ series, start, span: row.chunk_span }, row.head, row.head_checksum);
    const content = readContent(head, { presence: row.presence, values: row.data }, row.checksum);
    found.at(-1)?.chunks.push({ ...head, parts: readParts(head, row.parts, row.parts_checksum), ...content });
  }
  return found;
}

async function isHeavy(query: Query, { device, day }: DeviceDay): Promise<boolean> {
  const { rows } = await query<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(c.data)), 0) AS bytes FROM telemetry_chunk c
     JOIN telemetry_series s ON s.id = c.series AND s.device = c.device WHERE c.device = $1 AND s.kind = ${KINDS.indexOf("text")} AND c.start >= $2 AND c.start < $3`,
    [device, day * DAY_MS, (day + 1) * DAY_MS],
  );
  return (rows[0]?.bytes ?? 0) > HEAVY_TEXT_BYTES;
}

/** In the order in which they take effect. All values are computed before the first statement is sent. */
function statementsOf(changes: SharedChanges): readonly Statement[] {
  const statements: Statement[] = [];
  const add = (sql: string, ...values: readonly unknown[]) => statements.push({ sql, values });
  if (changes.deletedDevice !== undefined) {
    const device = changes.deletedDevice;
    add("DELETE FROM telemetry_chunk WHERE device = $1", device);
    add("DELETE FROM telemetry_segment WHERE device = $1", device);
    add("DELETE FROM telemetry_latest WHERE device = $1", device);
  }
  for (const { device, start } of changes.deletedSegments ?? []) {
    add("DELETE FROM telemetry_chunk WHERE device = $1 AND start = $2", device, start);
    add("DELETE FROM telemetry_segment WHERE device = $1 AND start = $2", device, start);
  }
  for (const { segment, chunks } of changes.segments ?? []) {
    const { device, start, span, rows, times } = segment;
    add(
      `INSERT INTO telemetry_segment (device, start, span, row_count, checksum, times) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (device, start) DO UPDATE SET span = excluded.span, row_count = excluded.row_count,
         checksum = excluded.checksum, times = excluded.times`,
      ...[device, start, span, rows, segmentSum(segment), times],
    );
    for (const chunk of chunks) {
      const { series, summary, parts, presence, values } = chunk;
      const sums = [
        headSum(chunk),
        partsSum(chunk, parts),
        contentSum({ series, start: chunk.start, count: summary.count }, chunk),
      ];
      add(
        `INSERT INTO telemetry_chunk (device, series, start, span, count, head_checksum, parts_checksum, checksum,
           head, parts, presence, data) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (device, series, start) DO UPDATE SET span = excluded.span, count = excluded.count,
           head_checksum = excluded.head_checksum, parts_checksum = excluded.parts_checksum,
           checksum = excluded.checksum, head = excluded.head, parts = excluded.parts,
           presence = excluded.presence, data = excluded.data`,
        ...[device, series, chunk.start, chunk.span, summary.count, ...sums, packHead(chunk), parts, presence, values],
      );
    }
  }
  const { values = [], now = 0 } = changes.latest ?? {};
  const newest = newestOf(values);
  if (newest.length > 0) {
    add(
      `INSERT INTO telemetry_latest AS stored (device, series, at, checksum, value)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::float8[], $4::bigint[], $5::bytea[])
       ON CONFLICT (device, series) DO UPDATE SET at = excluded.at, checksum = excluded.checksum, value = excluded.value
       WHERE ${IS_LATER}`,
      newest.map(({ device }) => device),
      newest.map(({ series }) => series),
      newest.map(({ at }) => at),
      newest.map(latestSum),
      newest.map(({ value }) => packScalar(value)),
      now + DAY_MS,
    );
  }
  return statements;
}

/** The rule of core/telemetry/latest-value.ts, where $6 is a day from now. */
const IS_LATER = `CASE WHEN (excluded.at > $6::float8) = (stored.at > $6::float8) THEN excluded.at >= stored.at
  ELSE excluded.at <= $6::float8 END`;

/** The last of each series: a statement cannot change a row twice. They are in order of time. */
function newestOf<Value extends Latest>(values: readonly Value[]): readonly Value[] {
  const newest = new Map<number, Value>();
  for (const value of values) {
    const known = newest.get(value.series);
    if (known === undefined || value.at >= known.at) newest.set(value.series, value);
  }
  return [...newest.values()];
}

async function drop(
  jobs: Transactions,
  { series, devices }: DropTarget,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const { rows } = await jobs.query<{ device: number; series: number; start: number }>(
    `SELECT c.device, c.series, c.start FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(series, place)
     JOIN telemetry_series s ON s.id = wanted.series AND s.device = ANY ($4::bigint[])
     CROSS JOIN LATERAL (SELECT device, series, start FROM telemetry_chunk
       WHERE device = s.device AND series = s.id AND start < $2 AND start + span <= $2 ORDER BY start LIMIT $3) AS c
     ORDER BY wanted.place, c.start LIMIT $3`,
    [series, before, limit, devices],
  );
  if (rows.length === 0) return 0;
  const partitions = [...new Set(rows.map((row) => partitionOf(row.device)))].toSorted((a, b) => a - b);
  await jobs.run([
    // A segment that is being written at the same time would bring its chunks back.
    {
      sql: `SELECT telemetry_advance(one, NULL) FROM unnest($1::smallint[]) AS one`,
      values: [partitions],
    },
    {
      sql: `DELETE FROM telemetry_chunk c USING unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS old(device, series, start)
        WHERE c.device = old.device AND c.series = old.series AND c.start = old.start`,
      values: [rows.map((row) => row.device), rows.map((row) => row.series), rows.map((row) => row.start)],
    },
    {
      sql: `DELETE FROM telemetry_segment g WHERE device = ANY ($1::bigint[]) AND start < $2 AND start + span <= $2
        AND NOT EXISTS (SELECT 1 FROM telemetry_chunk c WHERE c.device = g.device AND c.start = g.start)`,
      values: [devices, before],
    },
  ]);
  return rows.length;
}
