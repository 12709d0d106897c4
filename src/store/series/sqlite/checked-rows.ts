// Rows with checksums: each checksum is computed when the row is written and compared when the row is read.
import { KINDS, type Scalar, type SeriesDefinition } from "#store/series/batch.ts";
import { checksum, DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import type { ChunkContent, ChunkHead, Latest, Segment } from "#store/series/chunk.ts";
import type { Row } from "#store/sqlite/connection.ts";

export function headSum({ series, start, span, summary, grain }: ChunkHead): number {
  const { count, firstAt, lastAt, first, last, sum, min, max } = summary;
  const kind = kindNumber(first);
  const numbers = [series, start, span, count, firstAt, lastAt, sum.high, sum.low, min, max, grain, kind];
  if (typeof first === "string") return checksum(numbers, first, "\0", String(last));
  numbers.push(Number(first), Number(last));
  return checksum(numbers);
}

export function partsSum({ series, start, span, grain }: ChunkHead, parts: Uint8Array): number {
  return checksum([series, start, span, grain], parts);
}

export function contentSum(
  { series, start, count }: Pick<ChunkHead, "series" | "start"> & { readonly count: number },
  { presence, values }: ChunkContent,
): number {
  return checksum([series, start, count, presence.length], presence, values);
}

export function segmentSum({ device, start, span, rows, times }: Segment): number {
  return checksum([device, start, span, rows], times);
}

export function journalSum(sequence: number, batch: Uint8Array): number {
  return checksum([sequence], batch);
}

export function latestSum({ series, at, value }: Latest): number {
  const kind = kindNumber(value);
  return typeof value === "string" ? checksum([series, at, kind], value) : checksum([series, at, kind, Number(value)]);
}

export function deviceSum(id: number, deviceId: string): number {
  return checksum([id], deviceId);
}

export function seriesSum(numbers: readonly [id: number, device: number, kind: number], attribute: string): number {
  return checksum(numbers, attribute);
}

export function definitionSum({ series, device, kind, deviceId, attribute }: SeriesDefinition): number {
  return checksum([series, device, KINDS.indexOf(kind), deviceId.length], deviceId, attribute);
}

interface Piece<Read> {
  /** The column of the checksum. */
  readonly column: string;
  /** Parses the content of the row. Anything that it throws counts as damage too. */
  readonly read: () => Read;
  readonly sum: (read: Read) => number;
  readonly place: () => StoredPlace;
}

/** Returns the content of the row, or throws a DamagedPiece. */
export type RowCheck = <Read>(row: Row, piece: Piece<Read>) => Read;

/** `allowsUnchecked` is for a file from before there were checksums. */
export function createRowCheck(allowsUnchecked: boolean): RowCheck {
  return (row, { column, read, sum, place }) => {
    let found: ReturnType<typeof read>;
    let isRight: boolean;
    try {
      found = read();
      const stored = row[column];
      isRight = stored === null ? allowsUnchecked : stored === sum(found);
    } catch {
      throw new DamagedPiece(place());
    }
    if (!isRight) throw new DamagedPiece(place());
    return found;
  };
}

/** The place according to a row whose fields may hold anything. */
export function placeOf(table: StoredPlace["table"], row: Row, key: string): StoredPlace {
  return { table, key: safe(row[key]), start: safe(row["start"]), span: safe(row["span"]) };
}

function safe(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function kindNumber(value: Scalar): number {
  if (typeof value === "number") return KINDS.indexOf("number");
  return KINDS.indexOf(typeof value === "boolean" ? "boolean" : "text");
}
