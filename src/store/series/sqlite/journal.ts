// The journal table. Only one store writes to the file, so it numbers the rows itself.

import { number } from "#store/records/row.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { JournalRow, OnDamaged } from "#store/series/chunk-store.ts";
import { journalSum } from "#store/series/piece-sums.ts";
import { type Connection, isCorrupt, type Row } from "#store/sqlite/connection.ts";
import { placeOf } from "./checked-rows.ts";
import { checkedRows } from "./read-rows.ts";
import { setAsideTable } from "./set-aside-table.ts";

export function createJournal(database: Connection) {
  /** The highest number that was read or stored. */
  let last = 0;
  let knowsLast = false;
  return {
    *read(onDamaged: OnDamaged): Iterable<JournalRow> {
      for (let before = -1; ; ) {
        const row = nextRow(database, before, onDamaged);
        if (row === undefined) return;
        const sequence = number(row, "sequence");
        last = Math.max(last, sequence);
        try {
          const right = checkedRows.journal(row);
          // Row numbers have no gaps, and only the oldest rows are deleted.
          if (before !== -1 && sequence !== before + 1) {
            onDamaged(placeOf("journal", { sequence: before + 1 }, "sequence"));
          }
          yield right;
        } catch (error) {
          if (!(error instanceof DamagedPiece)) throw error;
          onDamaged(error.place);
        }
        before = sequence;
      }
    },
    /** The number of the next row. If its transaction fails, the number is free again: a gap would look like a lost row. */
    nextNumber(): number {
      if (!knowsLast) last = Math.max(last, Number(database.one("SELECT max(sequence) AS last FROM journal")["last"]));
      knowsLast = true;
      return last + 1;
    },
    noteStored(sequence: number): void {
      last = sequence;
    },
    append(sequence: number, batch: Uint8Array): void {
      database.run(
        "INSERT INTO journal (sequence, checksum, batch) VALUES (?, ?, ?)",
        sequence,
        journalSum(sequence, batch),
        batch,
      );
    },
    setAside(sequence: number): void {
      database.run(
        "INSERT INTO journal_damaged (sequence, batch) SELECT sequence, batch FROM journal WHERE sequence = ?",
        sequence,
      );
      database.run("DELETE FROM journal WHERE sequence = ?", sequence);
    },
    trim(before: number): void {
      database.run("DELETE FROM journal WHERE sequence < ?", before);
    },
  };
}

/** The first row after another. If even SQLite cannot read on, the rest of the journal is set aside. */
function nextRow(database: Connection, last: number, onDamaged: OnDamaged): Row | undefined {
  try {
    return database.get(
      "SELECT sequence, checksum, batch FROM journal WHERE sequence > ? ORDER BY sequence LIMIT 1",
      last,
    );
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    onDamaged({ table: "journal", key: last + 1, start: 0, span: 0 });
    setAsideTable(database, "journal");
    return undefined;
  }
}
