import type { ColumnKind, ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { RowBlock } from "#core/telemetry/row-block.ts";
import type { Instant } from "#core/time/instant.ts";

/** Values of one device at one moment. Lists are JSON text. */
export interface TelemetryPoints {
  readonly deviceId: string;
  readonly at: Instant;
  readonly values: ReadonlyMap<string, number | boolean | string>;
}

/** Many values of one attribute, in any order; of equal times the last one counts. The arrays are given away. */
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
  /** Whose share of the reading threads it takes: the key of a requester. */
  readonly requester: string;
  /** [from, to). */
  readonly from: Instant;
  readonly to: Instant;
  readonly items: readonly {
    readonly deviceId: string;
    readonly attribute: string;
    readonly kind: ColumnKind;
    readonly aggregation: ResolvedAggregation;
    readonly granularityMs: number;
    /** Undefined: no gap filling. Else how far before `from` a last value may lie. */
    readonly lookAroundMs: number | undefined;
  }[];
}

/** Attributes by name, or all but some. */
export type DropChoice = { readonly only: readonly string[] } | { readonly except: readonly string[] };

/** The rows of an answer in order, a piece at a time: at least one piece, which may be empty. To be read to the end or returned. */
export type Rows<Piece> = AsyncIterableIterator<{ readonly piece: Piece; readonly isLast: boolean }>;

/** Rows come as values, or as the bytes that a renderer makes of them. */
export type PieceOf<Rendered extends Rendering | undefined> = Rendered extends Rendering ? Uint8Array : RowBlock;

export interface TelemetryStore {
  /** The same device, attribute and time written twice keeps the later write. Resolves when durable. */
  append(messages: readonly TelemetryPoints[]): Promise<void>;
  /**
   * Keeps a message out of every answer, because its time cannot be right unless our own clock is wrong. Resolves when durable; a device
   * that has very many of them loses the rest.
   */
  holdBack(message: TelemetryPoints, arrivedAt: Instant): Promise<void>;
  /** The clock was set by so much: messages whose time is right by the new one take their place. Gives their devices. */
  release(byMs: number): Promise<ReadonlySet<string>>;
  /** Writes many points of one device at once, faster than `append`. Resolves when durable. */
  load(deviceId: string, columns: readonly LoadedColumn[]): Promise<void>;
  /** The newest value of each attribute, from memory. */
  latest(deviceId: string): ReadonlyMap<string, Snapshot>;
  /**
   * A row per bucket: its start, then a cell per item. With a rendering the renderer is run where the rows are made, so that values need
   * not travel.
   */
  query<Rendered extends Rendering | undefined = undefined>(
    request: SeriesRequest,
    rendering?: Rendered,
  ): Promise<Rows<PieceOf<Rendered>>>;
  /** The most rows the answer can have, without reading a point. */
  rowBound(request: SeriesRequest): Promise<number>;
  deleteDevice(deviceId: string): Promise<void>;
  /** Deletes stored hours and days that ended before, a bounded number at a time; gives how many pieces. */
  drop(deviceId: string, attributes: DropChoice, before: Instant): Promise<number>;
  /** Does now what otherwise happens in the background until `at`. */
  settle(at: Instant): Promise<void>;
  close(): Promise<void>;
}
