import type { ColumnKind, ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import type { CounterRule } from "#core/telemetry/counter-rule.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { RowBlock } from "#core/telemetry/row-block.ts";
import type { Calendar } from "#core/time/calendar.ts";
import type { FineTime, Instant } from "#core/time/instant.ts";

/** Values of one device at one moment. Lists are JSON text. */
export interface TelemetryPoints {
  readonly deviceId: string;
  readonly at: Instant;
  readonly values: ReadonlyMap<string, number | boolean | string>;
}

/**
 * Many values of one attribute, in any order; for equal times the last one counts. The store takes ownership of the
 * arrays.
 */
export interface LoadedColumn {
  readonly attribute: string;
  readonly kind: ColumnKind;
  readonly count: number;
  /** Unix milliseconds, whole ones. */
  readonly times: Float64Array;
  /** Booleans are 0 and 1. */
  readonly values: Float64Array | Uint8Array | readonly string[];
}

export interface Snapshot {
  readonly at: Instant;
  readonly value: number | boolean | string;
}

export interface SeriesRequest {
  /** The key of the requester. The query uses its share of the reading threads. */
  readonly requester: string;
  /** [from, to). */
  readonly from: FineTime;
  readonly to: FineTime;
  readonly items: readonly {
    readonly deviceId: string;
    readonly attribute: string;
    readonly kind: ColumnKind;
    readonly aggregation: ResolvedAggregation;
    /** With a calendar, no bucket is shorter. */
    readonly granularityMs: number;
    /** Buckets follow it instead of the fixed length. */
    readonly calendar?: Calendar | undefined;
    /** Undefined: no gap filling. Otherwise how far before `from` a last value may lie. */
    readonly lookAroundMs: number | undefined;
    /** Of a delta; undefined: a counter that may rise by any amount. */
    readonly counter?: CounterRule | undefined;
  }[];
}

/** Attributes by name, or all except some. */
export type DropChoice = { readonly only: readonly string[] } | { readonly except: readonly string[] };

/**
 * The rows of an answer in order, a piece at a time: at least one piece, which may be empty. The caller must read to
 * the end or call `return`.
 */
export type Rows<Piece> = AsyncIterableIterator<{
  readonly piece: Piece;
  readonly isLast: boolean;
  /** Nothing else holds the bytes. */
  readonly isOwn?: boolean;
}>;

/** Rows come as values, or as the bytes that a renderer makes of them. */
export type PieceOf<Rendered extends Rendering | undefined> = Rendered extends Rendering ? Uint8Array : RowBlock;

export interface TelemetryStore {
  /** When the same device, attribute and time is written twice, the later write counts. Resolves when durable. */
  append(messages: readonly TelemetryPoints[]): Promise<void>;
  /**
   * Keeps a message out of every answer, because its time cannot be right unless our own clock is wrong. Resolves when
   * durable. A device with very many such messages loses the rest.
   */
  holdBack(message: TelemetryPoints, arrivedAt: Instant): Promise<void>;
  /**
   * The clock was set by this much: messages whose time is right by the new clock become visible. Returns their
   * devices.
   */
  release(byMs: number): Promise<ReadonlySet<string>>;
  /** Writes many points of one device at once, faster than `append`. Resolves when durable. */
  load(deviceId: string, columns: readonly LoadedColumn[]): Promise<void>;
  /**
   * All points of the device in the stored hours and days that touch [from, to), for `loadPacked`. Pieces of about a
   * megabyte at most; where the same point is in two of them, the later one counts.
   */
  pack(deviceId: string, from: Instant, to: Instant): Promise<readonly Uint8Array[]>;
  /**
   * Writes a piece that `pack` of another store gave. Resolves when durable, with the number of points. What cannot be
   * read is refused with `invalid_body`. Attributes that `refused` returns are left out.
   */
  loadPacked(
    deviceId: string,
    piece: Uint8Array,
    refused?: (attributes: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<number>;
  /** The attributes of which there are points, by device. */
  attributes(deviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** How many series this node has in memory: names and numbers, of deleted devices too. */
  knownSeries(): number;
  /** When the newest stored hour or day of the device begins, among those that begin before. */
  newestBefore(deviceId: string, before: Instant): Promise<Instant | undefined>;
  /** The newest value of each attribute that this node knows, from memory. Another node may have taken a newer one. */
  latest(deviceId: string): ReadonlyMap<string, Snapshot>;
  /** The newest value of each attribute, whichever node took it. */
  current(deviceId: string): Promise<ReadonlyMap<string, Snapshot>>;
  /**
   * A row per bucket: its start, then a cell per item. With a rendering, the renderer runs where the rows are made, so
   * that values need not travel.
   */
  query<Rendered extends Rendering | undefined = undefined>(
    request: SeriesRequest,
    rendering?: Rendered,
  ): Promise<Rows<PieceOf<Rendered>>>;
  /** The most rows that the answer can have, without reading a point. */
  rowBound(request: SeriesRequest): Promise<number>;
  deleteDevice(deviceId: string): Promise<void>;
  /** Deletes stored hours and days that ended before, a bounded number at a time. Returns how many pieces. */
  drop(deviceId: string, attributes: DropChoice, before: Instant): Promise<number>;
  /** How many sealed chunks there are, about. */
  chunks(): Promise<number>;
  /**
   * How much of the disk the stored hours and days take, how much of that is free for more, and when the oldest of them
   * begins. Undefined where the disk is a server's.
   */
  space(): Promise<
    { readonly usedBytes: number; readonly spareBytes: number; readonly oldest: Instant | undefined } | undefined
  >;
  /** Does now all background work that would otherwise happen until `at`. */
  settle(at: Instant): Promise<void>;
  close(): Promise<void>;
}
