// Journal, segments and chunks in PostgreSQL. Statements of one commit are sent without waiting for each other's answers.
import type { Connection } from "#store/postgres/connect.ts";
import { KINDS, type SeriesDefinition } from "#store/series/batch.ts";
import { DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import type { Latest, StoredSegment, Stretch } from "#store/series/chunk.ts";
import type { Changes, ChunkStore, DeviceDay, JournalRow, OnDamaged } from "#store/series/chunk-store.ts";
import { HOUR_MS } from "#store/series/hot-store.ts";
import { contentSum, headSum, journalSum, latestSum, partsSum, segmentSum } from "#store/series/piece-sums.ts";
import { DAY_MS } from "#store/series/sealed-segments.ts";
import { createHeldPoints } from "./held-points.ts";
import { packHead, packScalar, unpackScalar } from "./pack-head.ts";
import { checked, readContent, readHead, readParts, readSegment } from "./rows.ts";
import { createScrub } from "./scrub.ts";
import { createTransactions, type Statement, type Transactions } from "./transactions.ts";

/** With this many bytes of text the hours of a day stay apart: joining them would take too much time and memory. */
const HEAVY_TEXT_BYTES = 32 * 1024 * 1024;
/** Journal rows that are read at once. */
const JOURNAL_ROWS = 32;

export async function createPostgresChunkStore(connection: Connection, onDamaged: OnDamaged): Promise<ChunkStore> {
  const transactions = createTransactions(connection);
  const { query } = transactions;
  const skipped = new Set<string>();
  const held = await createHeldPoints(transactions);
  const scrub = createScrub(query, onDamaged);
  const { last } = (await query<{ last: number }>("SELECT coalesce(max(sequence), 0) AS last FROM telemetry_journal"))
    .rows[0] ?? { last: 0 };
  let lastSequence = last;
  return {
    async definitions() {
      const { rows } = await query<DefinitionRow>(
        `SELECT s.id, s.device, d.device_id, s.attribute, s.kind FROM telemetry_series s
         JOIN telemetry_device d ON d.id = s.device`,
      );
      return rows.map(parseDefinition);
    },
    async latest(tell) {
      const { rows } = await query<LatestRow>("SELECT series, at, checksum, value FROM telemetry_latest");
      return rows.flatMap((row) => orTell(() => parseLatest(row), tell));
    },
    journal: (tell) => readJournal(query, tell),
    async commit(changes) {
      const batches = changes.journal ?? [];
      const first = lastSequence + 1;
      // Numbers are used up by a commit that fails, so none is used twice when its outcome is unknown.
      lastSequence += batches.length;
      const statements = statementsOf(changes, first);
      await transactions.run(statements);
      return batches.map((_, i) => first + i);
    },
    async findSegments(device, from, to) {
      const { rows } = await query<Stretch>(
        `SELECT device, start, span FROM telemetry_segment WHERE ${TOUCHES} ORDER BY start`,
        touching(device, from, to),
      );
      return rows;
    },
    readSegments: (device, from, to) => readSegments(query, touching(device, from, to)),
    async dayToCompact(before) {
      const { rows } = await query<DeviceDay>(
        `SELECT DISTINCT floor(start / ${DAY_MS}.0)::bigint AS day, device FROM telemetry_segment
         WHERE span = ${HOUR_MS} AND start < $1 ORDER BY day, device`,
        [Math.ceil(before)],
      );
      for (const one of rows) if (!skipped.has(keyOf(one)) && !(await isHeavy(query, one))) return one;
      return undefined;
    },
    skipDay: (day) => void skipped.add(keyOf(day)),
    drop: (whose, before, limit) => drop(transactions, whose, { before: Math.floor(before), limit }),
    held,
    scrub,
    close: () => connection.close(),
  };
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

interface DefinitionRow {
  readonly id: number;
  readonly device: number;
  readonly device_id: string;
  readonly attribute: string;
  readonly kind: number;
}

function parseDefinition({ id, device, device_id, attribute, kind }: DefinitionRow): SeriesDefinition {
  return { series: id, device, deviceId: device_id, attribute, kind: KINDS[kind] ?? "text" };
}

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

async function* readJournal(query: Query, tell: OnDamaged): AsyncIterable<JournalRow> {
  for (let last = 0; ; ) {
    const { rows } = await query<{ sequence: number; checksum: number; batch: Uint8Array }>(
      `SELECT sequence, checksum, batch FROM telemetry_journal WHERE sequence > $1 AND is_damaged = 0
       ORDER BY sequence LIMIT ${JOURNAL_ROWS}`,
      [last],
    );
    for (const { sequence, checksum, batch } of rows) {
      const place: StoredPlace = { table: "journal", key: sequence, start: 0, span: 0 };
      yield* orTell(() => checked(place, checksum, () => [{ sequence, batch }, journalSum(sequence, batch)]), tell);
      last = sequence;
    }
    if (rows.length < JOURNAL_ROWS) return;
  }
}

/** Damage is told, and the damaged piece left out. */
function orTell<Read>(read: () => Read, tell: OnDamaged): readonly Read[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof DamagedPiece)) throw error;
    tell(error.place);
    return [];
  }
}

interface ChunkRow {
  readonly series: number;
  readonly start: number;
  readonly span: number;
  readonly head_checksum: number;
  readonly parts_checksum: number;
  readonly checksum: number;
  readonly head: Uint8Array;
  readonly parts: Uint8Array;
  readonly presence: Uint8Array;
  readonly data: Uint8Array;
}

async function readSegments(query: Query, where: readonly number[]): Promise<readonly StoredSegment[]> {
  const segments = await query<Stretch & { row_count: number; checksum: number; times: Uint8Array }>(
    `SELECT device, start, span, row_count, checksum, times FROM telemetry_segment WHERE ${TOUCHES} ORDER BY start`,
    where,
  );
  const found: StoredSegment[] = [];
  for (const { device, start, span, row_count, checksum, times } of segments.rows) {
    const { rows } = await query<ChunkRow>(
      "SELECT * FROM telemetry_chunk WHERE device = $1 AND start = $2 ORDER BY series",
      [device, start],
    );
    const segment = readSegment({ device, start, span, rows: row_count, times }, checksum);
    found.push({
      segment,
      chunks: rows.map((row) => {
        const head = readHead(row, row.head, row.head_checksum);
        const content = readContent(head, { presence: row.presence, values: row.data }, row.checksum);
        return { ...head, parts: readParts(head, row.parts, row.parts_checksum), ...content };
      }),
    });
  }
  return found;
}

async function isHeavy(query: Query, { device, day }: DeviceDay): Promise<boolean> {
  const { rows } = await query<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(c.data)), 0) AS bytes FROM telemetry_chunk c JOIN telemetry_series s ON s.id = c.series
     WHERE c.device = $1 AND s.kind = ${KINDS.indexOf("text")} AND c.start >= $2 AND c.start < $3`,
    [device, day * DAY_MS, (day + 1) * DAY_MS],
  );
  return (rows[0]?.bytes ?? 0) > HEAVY_TEXT_BYTES;
}

/** In the order in which they take effect. All values are computed before the first statement is sent. */
function statementsOf(changes: Changes, firstSequence: number): readonly Statement[] {
  const statements: Statement[] = [];
  const add = (sql: string, ...values: readonly unknown[]) => statements.push({ sql, values });
  const definitions = changes.definitions ?? [];
  if (definitions.length > 0) {
    add(
      `INSERT INTO telemetry_device (id, device_id) SELECT DISTINCT * FROM unnest($1::bigint[], $2::text[])
       ON CONFLICT DO NOTHING`,
      definitions.map(({ device }) => device),
      definitions.map(({ deviceId }) => deviceId),
    );
    add(
      `INSERT INTO telemetry_series (id, device, attribute, kind)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[]) ON CONFLICT DO NOTHING`,
      definitions.map(({ series }) => series),
      definitions.map(({ device }) => device),
      definitions.map(({ attribute }) => attribute),
      definitions.map(({ kind }) => KINDS.indexOf(kind)),
    );
  }
  if (changes.deletedDevice !== undefined) {
    const device = changes.deletedDevice;
    add("DELETE FROM telemetry_chunk WHERE device = $1", device);
    add("DELETE FROM telemetry_segment WHERE device = $1", device);
    add("DELETE FROM telemetry_latest WHERE series IN (SELECT id FROM telemetry_series WHERE device = $1)", device);
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
  const latest = changes.latest ?? [];
  if (latest.length > 0) {
    add(
      `INSERT INTO telemetry_latest (series, at, checksum, value)
       SELECT * FROM unnest($1::bigint[], $2::float8[], $3::bigint[], $4::bytea[])
       ON CONFLICT (series) DO UPDATE SET at = excluded.at, checksum = excluded.checksum, value = excluded.value`,
      latest.map(({ series }) => series),
      latest.map(({ at }) => at),
      latest.map(latestSum),
      latest.map(({ value }) => packScalar(value)),
    );
  }
  for (const [i, batch] of (changes.journal ?? []).entries()) {
    const sequence = firstSequence + i;
    add(
      "INSERT INTO telemetry_journal (sequence, checksum, batch) VALUES ($1, $2, $3)",
      ...[sequence, journalSum(sequence, batch), batch],
    );
  }
  if (changes.setAside !== undefined) {
    add("UPDATE telemetry_journal SET is_damaged = 1 WHERE sequence = ANY ($1::bigint[])", changes.setAside);
  }
  if (changes.trimBefore !== undefined) {
    add("DELETE FROM telemetry_journal WHERE sequence < $1 AND is_damaged = 0", changes.trimBefore);
  }
  return statements;
}

async function drop(
  { run, query }: Transactions,
  { series, devices }: { readonly series: readonly number[]; readonly devices: readonly number[] },
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  const { rows } = await query<{ device: number; series: number; start: number }>(
    `SELECT c.device, c.series, c.start FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted(series, place)
     JOIN telemetry_series s ON s.id = wanted.series
     CROSS JOIN LATERAL (SELECT device, series, start FROM telemetry_chunk
       WHERE device = s.device AND series = s.id AND start < $2 AND start + span <= $2 ORDER BY start LIMIT $3) AS c
     ORDER BY wanted.place, c.start LIMIT $3`,
    [series, before, limit],
  );
  if (rows.length === 0) return 0;
  await run([
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
