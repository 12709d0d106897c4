// Rows of the journal from before it had partitions, or from a server whose transactions have other numbers.
import { DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import { journalSum } from "#store/series/piece-sums.ts";
import { partitionOf } from "#store/series/shared-store.ts";
import { splitBatch } from "#store/series/split-batch.ts";
import { checked } from "./rows.ts";
import type { SharedJournal } from "./shared-journal.ts";
import type { Transactions } from "./transactions.ts";

const ROWS = 100;
/** Nodes that start at the same moment do it one after the other. */
const LOCK = 7_238_411_906;

export async function moveOldRows({ query, run }: Transactions, inserted: SharedJournal["inserted"]): Promise<void> {
  await query("SELECT pg_advisory_lock($1)", [LOCK]);
  try {
    // After a restore the server's transactions may have lower numbers than the stored commits.
    await query(
      `UPDATE telemetry_base SET base = latest.commit + 1 - latest.current
       FROM (SELECT coalesce(max(commit), 0) AS commit, pg_current_xact_id()::text::bigint AS current FROM telemetry_journal)
         AS latest
       WHERE latest.commit >= base + latest.current`,
    );
    for (;;) {
      const { rows } = await query<{ sequence: number; checksum: number; batch: Uint8Array }>(
        `SELECT sequence, checksum, batch FROM telemetry_journal WHERE partition < 0 AND is_damaged = 0
         ORDER BY sequence LIMIT ${ROWS}`,
      );
      if (rows.length === 0) return;
      for (const { sequence, checksum, batch } of rows) {
        const parts = isWhole(sequence, checksum, batch) ? splitBatch(batch, partitionOf) : undefined;
        const left =
          parts === undefined
            ? {
                sql: "UPDATE telemetry_journal SET is_damaged = 1 WHERE partition < 0 AND sequence = $1",
                values: [sequence],
              }
            : { sql: "DELETE FROM telemetry_journal WHERE partition < 0 AND sequence = $1", values: [sequence] };
        const moved = [...(parts ?? [])].map(([partition, part]) => ({ partition, batch: part }));
        await run([left, ...(moved.length === 0 ? [] : [await inserted(moved)])]);
      }
    }
  } finally {
    await query("SELECT pg_advisory_unlock($1)", [LOCK]);
  }
}

function isWhole(sequence: number, stored: number, batch: Uint8Array): boolean {
  const place: StoredPlace = { table: "journal", key: sequence, start: 0, span: 0 };
  try {
    checked(place, stored, () => [batch, journalSum(sequence, batch)]);
    return true;
  } catch (error) {
    if (!(error instanceof DamagedPiece)) throw error;
    return false;
  }
}
