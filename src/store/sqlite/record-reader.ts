import type { ReadDatabase } from "#store/database.ts";
import { checkedStatements } from "#store/records/storable.ts";
import type { Connection } from "./connection.ts";

/**
 * A connection for reads that await. Reads that overlap share the snapshot of the first one. SQLite answers at once, so
 * they overlap only within one turn of the event loop, and the snapshot is never old.
 */
export function createRecordReader(connection: Connection): ReadDatabase {
  let snapshots = 0;
  const reader: ReadDatabase = {
    ...checkedStatements(connection),
    // One connection writes, so what is visible is complete.
    settledChange: () => Number.MAX_SAFE_INTEGER,
    onDamaged: (place) => connection.onDamaged(place),
    async snapshot(reads) {
      if (snapshots === 0) connection.run("BEGIN");
      snapshots++;
      try {
        return await reads(reader);
      } finally {
        snapshots--;
        if (snapshots === 0 && connection.inTransaction) connection.run("COMMIT");
      }
    },
  };
  return reader;
}
