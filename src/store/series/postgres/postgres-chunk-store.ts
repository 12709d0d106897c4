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
import { OutpacedError, partitionOf, type SharedChanges, type SharedStore } from "#store/series/shared-store.ts";
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
  readonly isSpread: boolean;
  /** For background work. */
  readonly jobs: Transactions;
  readonly journal: SharedJournal;
  readonly claims: Claims;
  readonly held: HeldStore;
  readonly onDamaged: OnDamaged;
  close(): Promise<void>;
}

export function createPostgresChunkStore({
  isSpread,
  jobs,
  journal,
  claims,
  held,
  onDamaged,
  close,
}: StoreParts): SharedStore {
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
        "SELECT series, at, checksum, value FROM telemetry_latest WHERE partition = $1 AND device = $2",
        [partitionOf(device), device],
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
    // What the servers have counted themselves; counting rows would read the whole index.
    async countChunks() {
      const { rows } = await query<{ readonly chunks: number | null }>(isSpread ? COUNT_OF_PARTS : COUNT);
      return rows[0]?.chunks ?? 0;
    },
    space: () => undefined,
    async newestSegment(device, before) {
      const { rows } = await query<Stretch>(
        `SELECT device, start, span FROM telemetry_segment WHERE partition = $1 AND device = $2 AND start < $3
         ORDER BY start DESC LIMIT 1`,
        [partitionOf(device), device, before],
      );
      return rows[0];
    },
    readSegments: (device, from, to) => readSegments(query, touching(device, from, to)),
    async dayToCompact(before, partitions) {
      const { rows } = await query<DeviceDay>(
        `SELECT DISTINCT floor(start / ${DAY_MS}.0)::bigint AS day, device FROM telemetry_segment
         WHERE span = ${HOUR_MS} AND start < $1 AND partition = ANY ($2::smallint[]) ORDER BY day, device`,
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
  const advance = { sql: ADVANCE, values: [partition, epoch ?? null] };
  try {
    await run([advance, ...statements]);
  } catch (error) {
    const isOutpaced = error instanceof Error && "code" in error && error.code === OUTPACED;
    throw isOutpaced || isWorthRepeating(error) ? new OutpacedError() : error;
  }
}

type Query = Transactions["query"];

const ADVANCE = "SELECT telemetry_advance($1::smallint, $2::bigint)";
const COUNT = `SELECT greatest(reltuples, 0)::float8 AS chunks FROM pg_class WHERE oid = 'telemetry_chunk'::regclass`;
const COUNT_OF_PARTS = `SELECT sum(result::float8) AS chunks FROM run_command_on_shards('telemetry_chunk',
  $$SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = '%s'::regclass$$) WHERE success`;

const keyOf = ({ device, day }: DeviceDay) => `${device}/${day}`;
/** Segments of a device that touch [from, to). */
const TOUCHES = "partition = $1 AND device = $2 AND start > $3 AND start < $4 AND start + span > $5";
const touching = (device: number, from: number, to: number) => [
  partitionOf(device),
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
     LEFT JOIN telemetry_chunk c ON c.partition = $1 AND c.device = g.device AND c.start = g.start ORDER BY g.start, c.series`,
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
  const texts = await query<{ id: number }>(
    `SELECT id FROM telemetry_series WHERE device = $1 AND kind = ${KINDS.indexOf("text")}`,
    [device],
  );
  if (texts.rows.length === 0) return false;
  const { rows } = await query<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(data)), 0) AS bytes FROM telemetry_chunk
     WHERE partition = $1 AND device = $2 AND series = ANY ($3::bigint[]) AND start >= $4 AND start < $5`,
    [partitionOf(device), device, texts.rows.map(({ id }) => id), day * DAY_MS, (day + 1) * DAY_MS],
  );
  return (rows[0]?.bytes ?? 0) > HEAVY_TEXT_BYTES;
}

/** In the order in which they take effect. All values are computed before the first statement is sent. */
function statementsOf(changes: SharedChanges): readonly Statement[] {
  const statements: Statement[] = [];
  const add = (sql: string, ...values: readonly unknown[]) => statements.push({ sql, values });
  if (changes.deletedDevice !== undefined) {
    const device = changes.deletedDevice;
    add("DELETE FROM telemetry_chunk WHERE partition = $1 AND device = $2", partitionOf(device), device);
    add("DELETE FROM telemetry_segment WHERE partition = $1 AND device = $2", partitionOf(device), device);
    add("DELETE FROM telemetry_latest WHERE partition = $1 AND device = $2", partitionOf(device), device);
  }
  for (const { device, start } of changes.deletedSegments ?? []) {
    const place = [partitionOf(device), device, start];
    add("DELETE FROM telemetry_chunk WHERE partition = $1 AND device = $2 AND start = $3", ...place);
    add("DELETE FROM telemetry_segment WHERE partition = $1 AND device = $2 AND start = $3", ...place);
  }
  for (const { segment, chunks } of changes.segments ?? []) {
    const { device, start, span, rows, times } = segment;
    const partition = partitionOf(device);
    add(
      `INSERT INTO telemetry_segment (partition, device, start, span, row_count, checksum, times)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (partition, device, start) DO UPDATE SET span = excluded.span, row_count = excluded.row_count,
         checksum = excluded.checksum, times = excluded.times`,
      ...[partition, device, start, span, rows, segmentSum(segment), times],
    );
    for (const chunk of chunks) {
      const { series, summary, parts, presence, values } = chunk;
      const sums = [
        headSum(chunk),
        partsSum(chunk, parts),
        contentSum({ series, start: chunk.start, count: summary.count }, chunk),
      ];
      add(
        `INSERT INTO telemetry_chunk (partition, device, series, start, span, count, head_checksum, parts_checksum, checksum,
           head, parts, presence, data) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         ON CONFLICT (partition, device, series, start) DO UPDATE SET span = excluded.span, count = excluded.count,
           head_checksum = excluded.head_checksum, parts_checksum = excluded.parts_checksum,
           checksum = excluded.checksum, head = excluded.head, parts = excluded.parts,
           presence = excluded.presence, data = excluded.data`,
        ...[partition, device, series, chunk.start, chunk.span, summary.count, ...sums, packHead(chunk)],
        ...[parts, presence, values],
      );
    }
  }
  const { values = [], now = 0 } = changes.latest ?? {};
  const newest = newestOf(values);
  for (let from = 0; from < newest.length; from += LATEST_AT_ONCE) {
    const rows = newest.slice(from, from + LATEST_AT_ONCE);
    // Citus cannot add rows of arrays to what another server has.
    const places = rows.map((_, i) => `(${[2, 3, 4, 5, 6, 7].map((one) => `$${i * 6 + one}`).join(", ")})`);
    add(
      `INSERT INTO telemetry_latest AS stored (partition, device, series, at, checksum, value) VALUES ${places.join(", ")}
       ON CONFLICT (partition, device, series)
       DO UPDATE SET at = excluded.at, checksum = excluded.checksum, value = excluded.value WHERE ${IS_LATER}`,
      now + DAY_MS,
      ...rows.flatMap((one) => [
        partitionOf(one.device),
        one.device,
        one.series,
        one.at,
        latestSum(one),
        packScalar(one.value),
      ]),
    );
  }
  return statements;
}

/** The rule of core/telemetry/latest-value.ts, where $1 is a day from now. */
const IS_LATER = `CASE WHEN (excluded.at > $1::float8) = (stored.at > $1::float8) THEN excluded.at >= stored.at
  ELSE excluded.at <= $1::float8 END`;
/** A statement has 65,535 parameters at most. */
const LATEST_AT_ONCE = 1_000;

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
  let count = 0;
  for (const [partition, own] of Map.groupBy(devices, partitionOf)) {
    count += await dropIn(jobs, { partition, series, devices: own }, { before, limit: limit - count });
  }
  return count;
}

async function dropIn(
  jobs: Transactions,
  { partition, series, devices }: DropTarget & { readonly partition: number },
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const { rows } = await jobs.query<{ device: number; series: number; start: number }>(
    `SELECT c.device, c.series, c.start FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(series, place)
     CROSS JOIN unnest($4::bigint[]) AS own(device)
     CROSS JOIN LATERAL (SELECT device, series, start FROM telemetry_chunk WHERE partition = $5::smallint
       AND device = own.device AND series = wanted.series AND start < $2 AND start + span <= $2
       ORDER BY start LIMIT $3) AS c
     ORDER BY wanted.place, c.start LIMIT $3`,
    [series, before, limit, devices, partition],
  );
  if (rows.length === 0) return 0;
  await jobs.run([
    // A segment that is being written at the same time would bring its chunks back.
    { sql: ADVANCE, values: [partition, null] },
    {
      sql: `DELETE FROM telemetry_chunk c USING unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS old(device, series, start)
        WHERE c.partition = $4::smallint AND c.device = old.device AND c.series = old.series AND c.start = old.start`,
      values: [rows.map((row) => row.device), rows.map((row) => row.series), rows.map((row) => row.start), partition],
    },
    {
      sql: `DELETE FROM telemetry_segment g WHERE g.partition = $3::smallint AND device = ANY ($1::bigint[]) AND start < $2
        AND start + span <= $2 AND NOT EXISTS (SELECT 1 FROM telemetry_chunk c
          WHERE c.partition = $3::smallint AND c.device = g.device AND c.start = g.start)`,
      values: [devices, before, partition],
    },
  ]);
  return rows.length;
}
