// Points of one device on their way to another store: the times, presences and values of a segment, encoded as they are
// stored, with the names of the attributes instead of the numbers of this store.
//
//   piece := 1, rows, times, chunks, chunk*        (numbers are varints; bytes and texts have their length before them)
//   chunk := attribute, kind byte, count, presence, values

import { refuse } from "#core/app-error.ts";
import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { KINDS, type SeriesDefinition } from "./batch.ts";
import type { Chunk, StoredSegment } from "./chunk.ts";
import { type Column, sliceColumn } from "./column.ts";
import { decodeChunk, decodeSegmentTimes, encodeSegment } from "./segment-codec.ts";

/** A piece has at most about so many bytes, unless a single value is larger. */
const PIECE_BYTES = 1024 * 1024;
/** A few bytes can stand for very many points. */
const MAX_POINTS = 1_000_000;
const MAX_NAME_BYTES = 1_024;
const FORMAT = 1;

type Names = ReadonlyMap<number, Pick<SeriesDefinition, "attribute" | "kind">>;

interface PackedChunk extends Pick<SeriesDefinition, "attribute" | "kind"> {
  readonly count: number;
  readonly presence: Uint8Array;
  readonly values: Uint8Array;
}

export interface PackedPoints {
  readonly rows: number;
  readonly times: Uint8Array;
  readonly chunks: readonly PackedChunk[];
}

/** Stored chunks are copied as they are; only one that is too large for a piece is encoded anew, in parts. */
export function packSegment(stored: StoredSegment, names: Names): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let chunks: Chunk[] = [];
  let [bytes, points] = [0, 0];
  const flush = () => {
    if (chunks.length > 0) pieces.push(renderPiece({ ...stored, chunks }, names));
    chunks = [];
    [bytes, points] = [0, 0];
  };
  for (const chunk of stored.chunks) {
    const size = chunk.presence.length + chunk.values.length;
    const { count } = chunk.summary;
    if ((size > PIECE_BYTES || count > MAX_POINTS) && count > 1) {
      for (const half of halves(stored, chunk, names)) pieces.push(...packSegment(half, names));
      continue;
    }
    if (bytes + size > PIECE_BYTES || points + count > MAX_POINTS) flush();
    chunks.push(chunk);
    bytes += size;
    points += count;
  }
  flush();
  return pieces;
}

function halves({ segment }: StoredSegment, chunk: Chunk, names: Names): readonly StoredSegment[] {
  const { kind } = names.get(chunk.series) ?? {};
  if (kind === undefined) return [];
  const column = decodeChunk(kind, chunk, { times: () => decodeSegmentTimes(segment) });
  const middle = column.count >>> 1;
  return [sliceColumn(column, 0, middle), sliceColumn(column, middle, column.count)].map((half) =>
    encodeSegment(segment, new Map([[chunk.series, half]])),
  );
}

function renderPiece({ segment, chunks }: StoredSegment, names: Names): Uint8Array {
  const writer = new ByteWriter(
    segment.times.length + chunks.reduce((sum, { values }) => sum + values.length + 64, 64),
  );
  const bytes = (given: Uint8Array) => {
    writer.unsigned(given.length);
    writer.append(given);
  };
  const named = chunks.flatMap((chunk) => {
    const name = names.get(chunk.series);
    return name === undefined ? [] : [{ ...name, chunk }];
  });
  writer.byte(FORMAT);
  writer.unsigned(segment.rows);
  bytes(segment.times);
  writer.unsigned(named.length);
  for (const { attribute, kind, chunk } of named) {
    bytes(Buffer.from(attribute));
    writer.byte(KINDS.indexOf(kind));
    writer.unsigned(chunk.summary.count);
    bytes(chunk.presence);
    bytes(chunk.values);
  }
  return writer.bytes();
}

/** Reads the names and nothing else. What cannot be read is refused with `invalid_body`. */
export function parsePacked(piece: Uint8Array): PackedPoints {
  return orRefused(() => parsePiece(piece));
}

/** The columns in the order of the chunks. What does not fit together is refused with `invalid_body`. */
export function decodePacked(points: PackedPoints): readonly Column[] {
  return orRefused(() => decodePiece(points));
}

function orRefused<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw refuse("invalid_body", error instanceof Error ? error.message : String(error));
  }
}

function parsePiece(piece: Uint8Array): PackedPoints {
  const reader = new ByteReader(piece, "points");
  const format = reader.byte();
  if (format !== FORMAT) throw reader.damaged(`no format has the number ${format}`);
  const rows = reader.count(MAX_POINTS * KINDS.length);
  const times = reader.take(reader.unsigned());
  const chunks: PackedChunk[] = [];
  let points = 0;
  for (let left = reader.count(piece.length); left > 0; left--) {
    const attribute = Buffer.from(reader.take(reader.count(MAX_NAME_BYTES))).toString();
    const kind = KINDS[reader.byte()];
    if (kind === undefined) throw reader.damaged("a kind of values is unknown");
    const count = reader.count(rows);
    points += count;
    if (points > MAX_POINTS) throw reader.damaged(`there are more than ${MAX_POINTS} points`);
    const presence = reader.take(reader.unsigned());
    chunks.push({ attribute, kind, count, presence, values: reader.take(reader.unsigned()) });
  }
  reader.finish();
  return { rows, times, chunks };
}

function decodePiece({ rows, times, chunks }: PackedPoints): readonly Column[] {
  let decoded: Float64Array | undefined;
  const timesOf = () => (decoded ??= decodeSegmentTimes({ rows, times }));
  return chunks.map(({ kind, count, presence, values, attribute }) => {
    const column = decodeChunk(kind, { presence, values, summary: { count } }, { times: timesOf });
    if (!isSound(column, count)) throw new Error(`Damaged points: those of ${attribute} do not fit together.`);
    return column;
  });
}

function isSound(column: Column, count: number): boolean {
  const { kind, times, values } = column;
  if (column.count !== count || times.length < count || values.length !== count) return false;
  for (let i = 1; i < count; i++) if (!(itemAt(times, i) > itemAt(times, i - 1))) return false;
  if (kind !== "number") return true;
  for (let i = 0; i < count; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}
