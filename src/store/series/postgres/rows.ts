// Rows of the telemetry tables as values, each compared with its checksum.
import { DamagedPiece, type StoredPlace } from "#store/series/checksum.ts";
import type { ChunkContent, ChunkHead, Segment } from "#store/series/chunk.ts";
import { contentSum, headSum, partsSum, segmentSum } from "#store/series/piece-sums.ts";
import { unpackHead } from "./pack-head.ts";

export const LONGEST_SPAN_MS = 24 * 3_600_000;

/** Where a chunk is, and the checksum that is stored with what is read of it. */
export interface ChunkPlace {
  readonly series: number;
  readonly start: number;
  readonly span: number;
}

export function readHead(place: ChunkPlace, bytes: Uint8Array, stored: number): ChunkHead {
  const { series, start, span } = place;
  return checked(ofChunk(place), stored, () => {
    const head: ChunkHead = { series, start, span, ...unpackHead(bytes) };
    return [head, headSum(head)];
  });
}

export function readContent(head: ChunkHead, content: ChunkContent, stored: number): ChunkContent {
  const { series, start, summary } = head;
  return checked(ofChunk(head), stored, () => [content, contentSum({ series, start, count: summary.count }, content)]);
}

export function readParts(head: ChunkHead, parts: Uint8Array, stored: number): Uint8Array {
  return checked(ofChunk(head), stored, () => [parts, partsSum(head, parts)]);
}

export function readSegment(segment: Segment, stored: number): Segment {
  const { device, start, span } = segment;
  return checked({ table: "segment", key: device, start, span }, stored, () => [segment, segmentSum(segment)]);
}

/** `read` returns the content and its checksum. Anything that it throws is damage too. */
export function checked<Read>(place: StoredPlace, stored: number, read: () => readonly [Read, number]): Read {
  let found: readonly [Read, number];
  try {
    found = read();
  } catch {
    throw new DamagedPiece(place);
  }
  if (found[1] !== stored) throw new DamagedPiece(place);
  return found[0];
}

function ofChunk({ series, start, span }: ChunkPlace): StoredPlace {
  return { table: "chunk", key: series, start, span };
}
