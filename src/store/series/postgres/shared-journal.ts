// The journal that all nodes write to and read from.
import type { Connection } from "#store/postgres/connect.ts";
import { serverTrouble } from "#store/postgres/trouble.ts";
import { DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { before, type Moment, parseMoment } from "#store/series/moment.ts";
import { journalSum } from "#store/series/piece-sums.ts";
import { packSealMark } from "#store/series/seal-mark.ts";
import type { ReadPartition, SharedBatch, SharedChanges, SharedRow, SharedStore } from "#store/series/shared-store.ts";
import { copyRows, readBytes, readInteger } from "./copy-rows.ts";
import { checked } from "./rows.ts";
import type { Statement, Transactions } from "./transactions.ts";

/** Numbers in a block. */
const BLOCK = 1_000_000;
/** Longer than a node keeps a partition without reading it. */
const MARKS_LAST = "15 minutes";

export interface SharedJournal extends Pick<SharedStore, "append" | "read"> {
  /** The statements that change the journal as a part of other changes. */
  statementsOf(partition: number, changes: SharedChanges): Promise<readonly Statement[]>;
}

interface JournalNeeds {
  readonly appends: Transactions;
  /** For COPY. */
  readonly reads: Connection;
  /** The first block of numbers. */
  readonly block: number;
}

export function createSharedJournal({ appends, reads, block }: JournalNeeds): SharedJournal {
  let next = block * BLOCK;
  let end = next + BLOCK;
  /** COPY runs alone on its connection. */
  let reading: Promise<unknown> = Promise.resolve();

  async function numbers(count: number): Promise<number> {
    if (next + count > end) {
      const taken = await takeBlock(appends);
      next = taken * BLOCK;
      end = next + BLOCK;
    }
    next += count;
    return next - count;
  }

  /** Rows for the journal, with their numbers. */
  async function inserted(batches: readonly (SharedBatch & { readonly isMark?: boolean })[]): Promise<Statement> {
    const first = await numbers(batches.length);
    const rows = batches.map((_, i) => `($${i * 5 + 1}, $${i * 5 + 2}, $${i * 5 + 3}, $${i * 5 + 4}, $${i * 5 + 5})`);
    return {
      sql: `INSERT INTO telemetry_journal (partition, sequence, checksum, is_mark, batch) VALUES ${rows.join(", ")}`,
      values: batches.flatMap(({ partition, batch, isMark = false }, i) => [
        partition,
        first + i,
        journalSum(first + i, batch),
        isMark ? 1 : 0,
        batch,
      ]),
    };
  }

  async function readNow(wanted: Parameters<SharedStore["read"]>[0], onDamaged: OnDamaged) {
    const rows = await copyRows(await reads.get(), readSql(wanted));
    const found = new Map<number, Omit<ReadPartition, "rows"> & { rows: SharedRow[] }>();
    const damaged: { readonly partition: number; readonly sequence: number }[] = [];
    const ends = endsOf(wanted, rows);
    for (const [kind, partition, epoch, base, , moment] of rows) {
      if (readInteger(kind) !== PARTITION) continue;
      const own = { partition: readInteger(partition), epoch: readInteger(epoch) };
      const now = parseMoment(Buffer.from(readBytes(moment)).toString(), readInteger(base));
      found.set(own.partition, { ...own, moment: before(now, ends.get(own.partition) ?? 0), rows: [] });
    }
    for (const [kind, partition, number, sequence, sum, bytes] of rows) {
      if (readInteger(kind) === PARTITION) continue;
      const own = readInteger(partition);
      const row = {
        sequence: readInteger(sequence),
        commit: readInteger(number),
        isMark: readInteger(kind) === MARK,
        batch: readBytes(bytes),
      };
      try {
        found.get(own)?.rows.push(checkedRow(row, readInteger(sum)));
      } catch (error) {
        if (!(error instanceof DamagedPiece)) throw error;
        onDamaged(error.place);
        damaged.push({ partition: own, sequence: row.sequence });
      }
    }
    if (damaged.length > 0) await setAside(appends, damaged);
    for (const one of found.values()) one.rows.sort((a, b) => a.commit - b.commit || a.sequence - b.sequence);
    return [...found.values()];
  }

  return {
    async append(batches) {
      const { sql, values } = await inserted(batches);
      // One statement is a transaction of its own.
      await appends.query(sql, values);
    },
    read(wanted, onDamaged) {
      const start = () => readNow(wanted, onDamaged);
      const result = reading.then(start, start).catch((error: unknown) => {
        throw serverTrouble(error) ?? error;
      });
      reading = result;
      return result;
    },
    async statementsOf(partition, { journal, sealed, trim }) {
      const rows = [
        ...(journal === undefined ? [] : [{ partition, batch: journal }]),
        ...(sealed === undefined ? [] : [{ partition, batch: packSealMark(sealed), isMark: true }]),
      ];
      const trimmed: Statement[] =
        trim === undefined
          ? []
          : [
              {
                sql: `DELETE FROM telemetry_journal WHERE partition = $1 AND commit < $2 AND is_damaged = 0
                  AND NOT commit = ANY ($3::bigint[]) AND (is_mark = 0 OR stored_at < now() - interval '${MARKS_LAST}')`,
                values: [partition, Math.min(trim.before, trim.moment.end), [...trim.moment.running]],
              },
            ];
      return rows.length === 0 ? trimmed : [await inserted(rows), ...trimmed];
    },
  };
}

export async function takeBlock({ query }: Pick<Transactions, "query">): Promise<number> {
  const { rows } = await query<{ block: number }>("SELECT nextval('telemetry_journal_block') AS block");
  return rows[0]?.block ?? 0;
}

const PARTITION = 0;
const MARK = 2;

/** One statement, which sees one state of the database: that of the moment that it returns. */
function readSql(wanted: Parameters<SharedStore["read"]>[0]): string {
  const lists = wanted.map(({ partition, after = NOTHING_KNOWN }) => ({ partition, ...after }));
  const list = (of: (one: (typeof lists)[number]) => number) => `'{${lists.map(of).join(",")}}'`;
  const running = lists.map((one) => `"{${[...one.running].join(",")}}"`);
  return `SELECT * FROM telemetry_news(${list(({ partition }) => partition)}, ${list(({ first }) => first)},
    ${list(({ end }) => end)}, '{${running.join(",")}}')`;
}

/**
 * Where the moments that are known end: after the last row of each partition. A crash of the database gives numbers out again
 * unless a commit that was flushed has a higher one, and commits without rows, such as those of notifications, are not flushed.
 */
function endsOf(
  wanted: Parameters<SharedStore["read"]>[0],
  rows: Awaited<ReturnType<typeof copyRows>>,
): ReadonlyMap<number, number> {
  const ends = new Map(wanted.map(({ partition, after }) => [partition, after?.end ?? 0]));
  for (const [kind, partition, commit] of rows) {
    if (readInteger(kind) === PARTITION) continue;
    const own = readInteger(partition);
    ends.set(own, Math.max(ends.get(own) ?? 0, readInteger(commit) + 1));
  }
  return ends;
}

const NOTHING_KNOWN: Pick<Moment, "first" | "end" | "running"> = { first: 0, end: 0, running: new Set() };

function checkedRow(row: SharedRow, stored: number): SharedRow {
  const place: StoredPlace = { table: "journal", key: row.sequence, start: 0, span: 0 };
  return checked(place, stored, () => [row, journalSum(row.sequence, row.batch)]);
}

/** They are kept, but no node reads them again. */
async function setAside(
  { query }: Transactions,
  rows: readonly { readonly partition: number; readonly sequence: number }[],
): Promise<void> {
  await query(
    `UPDATE telemetry_journal j SET is_damaged = 1 FROM unnest($1::smallint[], $2::bigint[]) AS bad(partition, sequence)
     WHERE j.partition = bad.partition AND j.sequence = bad.sequence`,
    [rows.map(({ partition }) => partition), rows.map(({ sequence }) => sequence)],
  );
}
