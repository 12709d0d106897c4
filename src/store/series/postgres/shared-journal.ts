// The journal that all nodes write to and read from.
import type { Connection } from "#store/postgres/connect.ts";
import { serverTrouble } from "#store/postgres/trouble.ts";
import { DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { journalSum } from "#store/series/piece-sums.ts";
import { packSealMark } from "#store/series/seal-mark.ts";
import type { ReadPartition, SharedBatch, SharedChanges, SharedRow, SharedStore } from "#store/series/shared-store.ts";
import type { AppendLanes } from "./append-lanes.ts";
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
  /** Where the tables are spread over several servers. */
  readonly lanes: AppendLanes | undefined;
  readonly appends: Transactions;
  /** For COPY. */
  readonly reads: Connection;
  /** The first block of numbers. */
  readonly block: number;
}

type NewRow = SharedBatch & { readonly isMark?: boolean };

export function createSharedJournal({ lanes, appends, reads, block }: JournalNeeds): SharedJournal {
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

  /** Rows for the journal, with their numbers. On several servers they are of one partition. */
  async function inserted(batches: readonly NewRow[]): Promise<Statement> {
    const first = await numbers(batches.length);
    const own = lanes === undefined ? null : (batches[0]?.partition ?? null);
    // Bytes go as they are. In an array they would be written as hexadecimal digits, which takes a quarter more of processor time.
    const places = batches.map((_, i) => `$${i + 6}::bytea`).join(", ");
    return {
      sql: `SELECT telemetry_append($1::smallint, $2::smallint[], $3::bigint[], $4::bigint[], $5::smallint[], ARRAY[${places}])`,
      values: [
        own,
        batches.map(({ partition }) => partition),
        batches.map((_, i) => first + i),
        batches.map(({ batch }, i) => journalSum(first + i, batch)),
        batches.map(({ isMark = false }) => (isMark ? 1 : 0)),
        ...batches.map(({ batch }) => batch),
      ],
    };
  }

  async function readNow(wanted: Parameters<SharedStore["read"]>[0], onDamaged: OnDamaged) {
    const rows = await copyRows(await reads.get(), readSql(wanted, lanes !== undefined));
    const found = new Map<number, Omit<ReadPartition, "rows"> & { rows: SharedRow[] }>();
    const damaged: { readonly partition: number; readonly sequence: number }[] = [];
    for (const [kind, partition, epoch, last] of rows) {
      if (readInteger(kind) !== PARTITION) continue;
      const own = { partition: readInteger(partition), epoch: readInteger(epoch), last: readInteger(last) };
      found.set(own.partition, { ...own, rows: [] });
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
      const rows = joined(batches);
      if (lanes !== undefined) {
        const statements = rows.map(async (row) => ({ ...(await inserted([row])), partition: row.partition }));
        return await lanes.run(await Promise.all(statements));
      }
      const { sql, values } = await inserted(rows);
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
    async statementsOf(partition, { journal, sealed, trimBefore }) {
      const rows: NewRow[] = [];
      if (journal !== undefined) rows.push({ partition, batch: journal });
      if (sealed !== undefined) rows.push({ partition, batch: packSealMark(sealed), isMark: true });
      const trimmed: Statement[] =
        trimBefore === undefined
          ? []
          : [
              {
                sql: `DELETE FROM telemetry_journal WHERE partition = $1 AND commit < $2 AND is_damaged = 0
                  AND (is_mark = 0 OR stored_at < now() - interval '${MARKS_LAST}')`,
                values: [partition, trimBefore],
              },
            ];
      return [...(await Promise.all(rows.map((row) => inserted([row])))), ...trimmed];
    },
  };
}

export async function takeBlock({ query }: Pick<Transactions, "query">): Promise<number> {
  const { rows } = await query<{ block: number }>("SELECT nextval('telemetry_journal_block') AS block");
  return rows[0]?.block ?? 0;
}

const PARTITION = 0;
const MARK = 2;

type Wanted = Parameters<SharedStore["read"]>[0];

/** On several servers one call for each partition, in one statement. */
function readSql(wanted: Wanted, isSpread: boolean): string {
  const call = (own: string, asked: Wanted) =>
    `SELECT * FROM telemetry_news(${own}, '{${asked.map(({ partition }) => partition).join(",")}}',
      '{${asked.map(({ after }) => after).join(",")}}')`;
  if (!isSpread) return call("NULL", wanted);
  return wanted.map((one) => call(`${one.partition}::smallint`, [one])).join(" UNION ALL ");
}

/** A row for each partition, in the order in which their numbers are locked. */
function joined(batches: readonly SharedBatch[]): readonly SharedBatch[] {
  const parts = Map.groupBy(batches, ({ partition }) => partition);
  return [...parts]
    .map(([partition, own]) => {
      const [first] = own;
      const isOne = own.length === 1 && first !== undefined;
      return { partition, batch: isOne ? first.batch : Buffer.concat(own.map(({ batch }) => batch)) };
    })
    .toSorted((a, b) => a.partition - b.partition);
}

function checkedRow(row: SharedRow, stored: number): SharedRow {
  const place: StoredPlace = { table: "journal", key: row.sequence, start: 0, span: 0 };
  return checked(place, stored, () => [row, journalSum(row.sequence, row.batch)]);
}

/** They are kept, but no node reads them again. */
async function setAside(
  { query }: Transactions,
  rows: readonly { readonly partition: number; readonly sequence: number }[],
): Promise<void> {
  for (const [partition, own] of Map.groupBy(rows, (row) => row.partition)) {
    await query("UPDATE telemetry_journal SET is_damaged = 1 WHERE partition = $1 AND sequence = ANY ($2::bigint[])", [
      partition,
      own.map(({ sequence }) => sequence),
    ]);
  }
}
