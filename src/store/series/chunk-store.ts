// What the writing side needs from the database that holds the journal and the chunks, if only this process writes to it.
// On a gateway that is SQLite. shared-store.ts is for a database that several nodes share.
import type { Awaitable } from "#store/awaitable.ts";
import type { SeriesDefinition } from "./batch.ts";
import type { StoredPlace } from "./checksum.ts";
import type { Latest, NewSegment, OpenSegment, StoredSegment, Stretch } from "./chunk.ts";
import type { HeldStore } from "./held-store.ts";

export type OnDamaged = (place: StoredPlace) => void;

/** Changes that are stored together or not at all. They take effect in the order of these fields. */
export interface Changes {
  readonly definitions?: readonly SeriesDefinition[];
  /** Deletes all chunks, segments and latest values of the device. */
  readonly deletedDevice?: number;
  /** A segment replaces the one of the same device and start, and a chunk the one of the same series and start. */
  readonly segments?: readonly NewSegment[];
  /** What became part of a longer segment of this commit, which may have the same start. */
  readonly deletedSegments?: readonly Stretch[];
  readonly latest?: readonly Latest[];
  /** Batches to append to the journal. */
  readonly journal?: readonly Uint8Array[];
  /** Journal rows that cannot be read: they are kept, but no later start reads them. */
  readonly setAside?: readonly number[];
  /** Deletes earlier rows of the journal, among those that this store has appended or read. */
  readonly trimBefore?: number;
}

export interface JournalRow {
  /** Later rows have higher numbers. */
  readonly sequence: number;
  readonly batch: Uint8Array;
}

export interface DeviceDay {
  readonly device: number;
  /** Days since 1970. */
  readonly day: number;
}

/** The writing side. Its user waits for each call before the next one. */
export interface ChunkStore {
  /** Leaves out damaged ones. */
  definitions(onDamaged: OnDamaged): Awaitable<readonly SeriesDefinition[]>;
  latest(onDamaged: OnDamaged): Awaitable<readonly Latest[]>;
  /** Oldest first; leaves out damaged ones. */
  journal(onDamaged: OnDamaged): Iterable<JournalRow> | AsyncIterable<JournalRow>;
  /** Durable when it resolves. Returns the numbers of the journal rows. */
  commit(changes: Changes): Awaitable<readonly number[]>;
  /** Segments of the device that touch [from, to), in order. */
  findSegments(device: number, from: number, to: number): Awaitable<readonly Stretch[]>;
  /** The newest segment of the device that starts before. */
  newestSegment(device: number, before: number): Awaitable<Stretch | undefined>;
  /** The same with everything in them. Throws a DamagedPiece for content that does not match its checksum. */
  readSegments(device: number, from: number, to: number): Awaitable<readonly StoredSegment[]>;
  /**
   * The same, but chunks are read when they are asked for, also while a commit replaces them: however large a segment is,
   * it is never in memory as a whole. A store that cannot answer at once has no such function.
   */
  readonly openSegments?: (device: number, from: number, to: number) => readonly OpenSegment[];
  /**
   * The first device and day with an hourly segment that starts before `before`. Skips days with too much text to be
   * joined.
   */
  dayToCompact(before: number): Awaitable<DeviceDay | undefined>;
  /** `dayToCompact` does not return this day again until the process ends. */
  skipDay(day: DeviceDay): void;
  /**
   * Joins the summaries of the days of a series in one stretch of CHANGES_MS that ended before; false when none is due. A store
   * that does not keep them has no such function.
   */
  readonly joinDays?: (before: number) => boolean;
  /**
   * Deletes chunks of the series that ended before, at most `limit`, and then the segments of the devices that ended
   * before and have no chunk left. Returns the number of chunks.
   */
  drop(whose: DropTarget, before: number, limit: number): Awaitable<number>;
  /** How many chunks there are, about: it must cost little. */
  countChunks(): Awaitable<number>;
  /** Undefined where the disk is not ours to look after. */
  space(): Awaitable<StoreSpace | undefined>;
  readonly held: HeldStore;
  /** Reads a little of what is stored and reports damage. Call after call, it reads everything. */
  scrub(): Awaitable<void>;
  close(): Awaitable<void>;
}

export interface StoreSpace {
  /** Of its file, what holds something. */
  readonly usedBytes: number;
  /** Of its file, what is free for more. */
  readonly spareBytes: number;
  /** When its oldest segment begins. */
  readonly oldest: number | undefined;
}

export interface DropTarget {
  readonly series: readonly number[];
  /** The devices of these series. */
  readonly devices: readonly number[];
}
