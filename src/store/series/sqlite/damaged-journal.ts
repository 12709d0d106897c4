// Rows of the journal that were damaged when they were replayed. Their devices and times are unknown, so no query can
// be refused for them. Instead they are reported at every start, until an operator acknowledges them.

import { text } from "#store/records/row.ts";
import type { StoredPlace } from "#store/series/checksum.ts";
import { type Connection, isCorrupt } from "#store/sqlite/connection.ts";

/** If the journal as a whole could not be read, its table is kept under such a name. */
const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'journal\\_damaged\\_%' ESCAPE '\\'";

/** One place for all of them; undefined when nothing was set aside. */
export function damagedJournal(database: Connection): StoredPlace | undefined {
  const place: StoredPlace = { table: "journal", key: 0, start: 0, span: 0 };
  try {
    const isEmpty =
      database.get("SELECT 1 FROM journal_damaged LIMIT 1") === undefined && database.get(TABLES) === undefined;
    return isEmpty ? undefined : place;
  } catch (error) {
    if (isCorrupt(error)) return place;
    throw error;
  }
}

export function forgetDamagedJournal(database: Connection): void {
  database.run("DELETE FROM journal_damaged");
  for (const row of database.all(TABLES)) database.script(`DROP TABLE "${text(row, "name")}"`);
}
