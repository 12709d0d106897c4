// What queries need from the database that holds the chunks. docs/decisions/chunk-store-port.md says why reads are
// planned, and why a view does not wait.
import type { Awaitable } from "#store/awaitable.ts";
import type { ChunkContent, ChunkHead, Segment } from "./chunk.ts";

export interface SeriesRange {
  readonly device: number;
  readonly series: number;
  /** Unix milliseconds; [from, to). */
  readonly from: number;
  readonly to: number;
}

/** What a query reads of one series. */
export interface SeriesReads extends SeriesRange {
  /** If given, the last value in [lookBack, from) is needed too. */
  readonly lookBack: number | undefined;
  /** Everything before has been read. It rises from `from` to `to` while the query proceeds. */
  readonly at: number;
  /** What else is needed of a chunk, now that its head is known. */
  wanted(head: ChunkHead): { readonly parts: boolean; readonly content: boolean };
}

/**
 * How far each partition of a shared store had come when unsealed points were taken: what is not among them is in chunks
 * of this state, and of every later one. Empty for a store that one process alone uses.
 */
export type StoreState = readonly (readonly [partition: number, epoch: number])[];

/** The reads of one query. They are known up front, so that a store on a server can fetch many of them at once. */
interface ChunkReading {
  /**
   * Runs `use`, which reads without waiting, and resolves with its result. All that it reads is one state of the store,
   * but the next view may see a later one.
   */
  view<Result>(use: (view: ChunkView) => Result): Awaitable<Result>;
}

/**
 * Valid during one call of `use`. Every chunk that it names has its wanted parts and content, and the segment with its
 * times. Throws a DamagedPiece for content that does not match its checksum.
 */
export interface ChunkView {
  /**
   * The first chunks of the series that end after `at` and start before the end of its range, in order. May return only
   * some of them; an empty answer means the end. Undefined when this view has no more of them but the next one will.
   */
  nextChunks(reads: SeriesReads, at: number): readonly ChunkHead[] | undefined;
  /** The last two chunks that start before the range, the last one first. Only the first view needs to have them. */
  lastChunks(reads: SeriesReads): readonly ChunkHead[];
  content(chunk: ChunkHead): ChunkContent;
  /** The summaries of its parts, as bytes. */
  parts(chunk: ChunkHead): Uint8Array;
  segment(device: number, start: number): Segment | undefined;
  /**
   * The joined summaries of the days of the series in a stretch of CHANGES_MS, counted since 1970, or of their hours. Undefined
   * where there are none; chunks say the same.
   */
  readonly joined?: (series: number, stretch: number, level: JoinedLevel) => Uint8Array | undefined;
  /**
   * How often chunks of the series have come or gone, for each stretch of CHANGES_MS from one to another, counted since 1970.
   * A stretch that never had a chunk is not listed. Undefined where the store does not count.
   */
  readonly changes?: (series: number, first: number, last: number) => ReadonlyMap<number, number>;
}

export type JoinedLevel = "days" | "hours";

/** The length of the stretches of time whose changes are counted. No chunk lies in two of them. */
export const CHANGES_MS = 32 * 24 * 3_600_000;

export interface ChunkCount {
  readonly start: number;
  readonly span: number;
  readonly count: number;
  /** The number of distinct times that all series of the device have in the segment. */
  readonly rows: number;
}

/** A chunk with everything that is needed to decode it. */
export interface SmallChunk extends ChunkContent {
  readonly count: number;
  /** Where its times are, if the chunk has none of its own. */
  readonly segment: Pick<Segment, "rows" | "times"> | undefined;
}

/** Limit for all chunks together. */
interface SmallLimits {
  readonly chunks: number;
  readonly points: number;
  readonly bytes: number;
}

/** The reading side. Each of many threads may have its own. Nothing that it gives is from before `since`. */
export interface ChunkReader {
  open(reads: readonly SeriesReads[], since?: StoreState): ChunkReading;
  /**
   * Begins to read before it is known which points are unsealed and since when. What it gives opens the same reads when that is
   * known. Absent where there is nothing to wait for.
   */
  early?(reads: readonly SeriesReads[]): Pick<ChunkReader, "open">;
  /** For each range the chunks that touch it, without their content, all in one state of the store. */
  counts(ranges: readonly SeriesRange[], since?: StoreState): Awaitable<readonly (readonly ChunkCount[])[]>;
  /**
   * All chunks that touch the range, in order and in one state of the store; undefined when they exceed the limits. They may be
   * read before `since` is known.
   */
  smallChunks(
    range: SeriesRange,
    limits: SmallLimits,
    since?: Awaitable<StoreState>,
  ): Awaitable<readonly SmallChunk[] | undefined>;
  close(): Awaitable<void>;
}
