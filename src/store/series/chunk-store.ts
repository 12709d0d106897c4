// What the engine needs from a database: a journal, and chunks by series and time. On a gateway SQLite stores them; any
// store that implements this port can hold the same chunks.
import type { ExactSum } from "#core/telemetry/exact-sum.ts";
import type { Scalar, SeriesDefinition } from "./batch.ts";
import type { StoredPlace } from "./checksum.ts";

/** The times that the series of a device share in one stretch of time: an hour, or a day after compaction. */
export interface Segment {
  readonly device: number;
  /** Unix milliseconds; the stretch is [start, start + span). */
  readonly start: number;
  readonly span: number;
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

interface ChunkCount {
  readonly start: number;
  readonly span: number;
  readonly count: number;
  /** The number of distinct times that all series of the device have in the segment. */
  readonly rows: number;
}

/** The last value of a series, for queries about now. */
export interface Latest {
  readonly series: number;
  readonly at: number;
  readonly value: Scalar;
}

export type OnDamaged = (place: StoredPlace) => void;

/** Throws a DamagedPiece for content that does not match its checksum. */
export interface ChunkStoreReader {
  /** Leaves out damaged ones. */
  definitions(onDamaged: OnDamaged): readonly SeriesDefinition[];
  latest(onDamaged: OnDamaged): readonly Latest[];
  /** Throws a DamagedPiece unless every chunk of the series that may touch [from, to) can be found. */
  checkComplete(series: number, from: number, to: number): void;
  /**
   * The first chunks of the series that end after `at` and start before `before`, in order. May return only some of
   * them; an empty answer means the end.
   */
  nextChunks(series: number, at: number, before: number): readonly ChunkHead[];
  /** The last chunk of the series that starts before `at`. */
  lastChunk(series: number, at: number): ChunkHead | undefined;
  content(chunk: ChunkHead): ChunkContent;
  /** The summaries of its parts, as bytes. */
  parts(chunk: ChunkHead): Uint8Array;
  /** The chunks of the series that touch [from, to), without their content. */
  counts(series: number, from: number, to: number): readonly ChunkCount[];
  segment(device: number, start: number): Segment | undefined;
  close(): void;
}

/** What a query reads. */
export type ChunkReader = Pick<
  ChunkStoreReader,
  "checkComplete" | "nextChunks" | "lastChunk" | "content" | "parts" | "segment"
>;

export interface ChunkStore extends ChunkStoreReader {
  /** Runs the changes in one transaction; durable when it returns. */
  commit(changes: () => void): void;
  define(definition: SeriesDefinition): void;
  appendJournal(sequence: number, batch: Uint8Array): void;
  /** Oldest first; leaves out damaged ones. */
  journal(onDamaged: OnDamaged): Iterable<{ readonly sequence: number; readonly batch: Uint8Array }>;
  /** Moves a row aside, so that no later replay reads it; the row is kept. */
  setAsideJournal(sequence: number): void;
  trimJournal(beforeSequence: number): void;
  putSegment(segment: Segment, chunks: readonly Chunk[]): void;
  deleteSegment(device: number, start: number): void;
  /** Segments of a device that touch [from, to), and their chunks, in order. */
  segments(device: number, from: number, to: number): readonly Segment[];
  chunks(device: number, start: number): readonly Chunk[];
  /**
   * The first device and day with an hourly segment that starts before `before`. Skips days with too much text to be
   * joined.
   */
  daysToCompact(before: number): readonly { readonly device: number; readonly day: number }[];
  /** Excludes the hours of this day from joining until the process ends. */
  leaveApart(day: { readonly device: number; readonly day: number }): void;
  putLatest(latest: readonly Latest[]): void;
  /** Deletes chunks of the series that ended before, at most `limit`. Returns how many. */
  dropChunks(series: readonly number[], before: number, limit: number): number;
  /** Deletes segments of the device that ended before and have no chunk left. */
  dropEmptySegments(device: number, before: number): void;
  deleteDevice(device: number): void;
}
