// The pieces that a chunk store holds.
import type { ExactSum } from "#core/telemetry/exact-sum.ts";
import type { Scalar } from "./batch.ts";

/** A device's stretch of time, [start, start + span): an hour, or a day after compaction. Unix milliseconds. */
export interface Stretch {
  readonly device: number;
  readonly start: number;
  readonly span: number;
}

/** The times that the series of a device share in one stretch. */
export interface Segment extends Stretch {
  readonly rows: number;
  readonly times: Uint8Array;
}

/** What is known of a chunk without reading its values. */
export interface ChunkHead {
  readonly series: number;
  readonly start: number;
  readonly span: number;
  readonly summary: Summary;
  /** Length of the parts that have summaries of their own, in milliseconds; 0 when there are none. */
  readonly grain: number;
  /** The same of the parts that integrals use; 0 when there are none. */
  readonly held: number;
}

export interface StoredSegment {
  readonly segment: Segment;
  readonly chunks: readonly Chunk[];
}

/** A segment that is to be stored. Its chunks may be made one at a time, while they are stored. */
export interface NewSegment {
  readonly segment: Segment;
  readonly chunks: Iterable<Chunk>;
}

/** A stored segment whose chunks are read one at a time. */
export interface OpenSegment {
  readonly segment: Segment;
  /** The series that have a chunk in it. */
  readonly series: readonly number[];
  /** Throws a DamagedPiece for content that does not match its checksum. */
  chunk(series: number): Chunk;
}

/** The values of one series in one segment. */
export interface Chunk extends ChunkHead, ChunkContent {
  readonly parts: Uint8Array;
}

export interface ChunkContent {
  /** Which rows of the segment have a value. A series with few values has its own times here instead. */
  readonly presence: Uint8Array;
  readonly values: Uint8Array;
}

export interface Summary {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly first: Scalar;
  readonly last: Scalar;
  /** Numbers only: zero otherwise. */
  readonly sum: Readonly<ExactSum>;
  readonly min: number;
  readonly max: number;
}

/** The last value of a series, for queries about now. */
export interface Latest {
  readonly series: number;
  readonly at: number;
  readonly value: Scalar;
}
