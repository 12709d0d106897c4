// Reads all stored data again and again, a little per second, so that damage is found before a query meets it.

import { number } from "#store/records/row.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import type { Connection, Row } from "#store/sqlite/connection.ts";
import { mendJoined } from "./joined.ts";
import { CHUNK_COLUMNS, CHUNK_FROM, checkedRows, SEGMENT_COLUMNS } from "./read-rows.ts";

/**
 * Rows per step. With one step per second that is at most half a megabyte a second most of the time, and a gigabyte in
 * about an hour.
 */
const ROWS = 16;
/** A step ends with the row that goes beyond this. */
const BYTES = 1024 * 1024;

export function createScrub(database: Connection, onDamaged: OnDamaged): { step(): void } {
  const tables: readonly { readonly sql: string; readonly read: (row: Row) => number }[] = [
    {
      sql: `SELECT c.rowid AS place, ${CHUNK_COLUMNS} FROM ${CHUNK_FROM} WHERE c.rowid > ? ORDER BY c.rowid LIMIT 1`,
      read: (row) => checkedRows.chunk(row).values.length,
    },
    {
      sql: `SELECT rowid AS place, ${SEGMENT_COLUMNS} FROM segment WHERE rowid > ? ORDER BY rowid LIMIT 1`,
      read: (row) => checkedRows.segment(row).times.length,
    },
    {
      sql: "SELECT rowid AS place, * FROM joined WHERE rowid > ? ORDER BY rowid LIMIT 1",
      read: (row) => mendJoined(database, row),
    },
  ];
  let table = 0;
  let last = 0;

  /** Gives the bytes it read; undefined at the end of the table. */
  function one(): number | undefined {
    const { sql, read } = tables[table] ?? tables[0] ?? { sql: "", read: () => 0 };
    const row = database.get(sql, last);
    if (row === undefined) return undefined;
    last = number(row, "place");
    try {
      return read(row);
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      onDamaged(error.place);
      return 0;
    }
  }

  return {
    step() {
      let bytes = 0;
      for (let i = 0; i < ROWS && bytes < BYTES; i++) {
        const read = one();
        if (read === undefined) {
          table = (table + 1) % tables.length;
          last = 0;
          return;
        }
        bytes += read;
      }
    },
  };
}
