// Rows with checksums, which are compared when a row is read.
import { DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import type { Row } from "#store/sqlite/connection.ts";

interface Piece<Read> {
  /** The column of the checksum. */
  readonly column: string;
  /** Parses the content of the row. Anything that it throws counts as damage too. */
  readonly read: () => Read;
  readonly sum: (read: Read) => number;
  readonly place: () => StoredPlace;
}

/** Returns the content of the row, or throws a DamagedPiece. */
export function checkRow<Read>(row: Row, { column, read, sum, place }: Piece<Read>): Read {
  let found: Read;
  let isRight: boolean;
  try {
    found = read();
    isRight = row[column] === sum(found);
  } catch {
    throw new DamagedPiece(place());
  }
  if (!isRight) throw new DamagedPiece(place());
  return found;
}

/** The place according to a row whose fields may hold anything. */
export function placeOf(table: StoredPlace["table"], row: Row, key: string): StoredPlace {
  return { table, key: safe(row[key]), start: safe(row["start"]), span: safe(row["span"]) };
}

function safe(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
