// What the engine needs from a database that several nodes share. docs/decisions/telemetry-on-several-nodes.md says why
// in this form.
import { itemAt } from "#core/item-at.ts";
import type { SeriesDefinition } from "./batch.ts";
import type { Latest, NewSegment, Stretch } from "./chunk.ts";
import type { ChunkStore, DeviceDay, DropTarget, OnDamaged } from "./chunk-store.ts";
import type { DeviceHour } from "./seal-mark.ts";

/**
 * The journal is split by device, so that nodes can share its work and read only a part of it. The hashes of these numbers lie in
 * different sixteenths: where Citus spreads the tables, each partition is in a part of its own.
 */
export const PARTITIONS: readonly number[] = [1, 24, 10, 5, 4, 16, 0, 3, 52, 28, 6, 13, 2, 41, 9, 11];
export const partitionOf = (device: number): number => itemAt(PARTITIONS, device % PARTITIONS.length);

export type SeriesName = Pick<SeriesDefinition, "deviceId" | "attribute" | "kind">;

export interface SharedBatch {
  readonly partition: number;
  readonly batch: Uint8Array;
}

export interface SharedRow {
  readonly sequence: number;
  /**
   * The number of its commit in the partition. Numbers become visible in their order, and a commit that began after another one had
   * ended has the higher number.
   */
  readonly commit: number;
  /** Whether it says what was sealed, instead of points. */
  readonly isMark: boolean;
  readonly batch: Uint8Array;
}

export interface ReadPartition {
  readonly partition: number;
  /** The newest commit that was read: everything up to it is known. */
  readonly last: number;
  /** Rises with each change of the partition's segments. */
  readonly epoch: number;
  /** In order of their commits. */
  readonly rows: readonly SharedRow[];
}

interface DeviceLatest extends Latest {
  readonly device: number;
}

/** Changes of the segments of one partition. */
export interface SharedChanges {
  readonly deletedDevice?: number;
  readonly deletedSegments?: readonly Stretch[];
  readonly segments?: readonly NewSegment[];
  /** Those that are later than the stored ones replace them; `now` decides what can be right. */
  readonly latest?: { readonly values: readonly DeviceLatest[]; readonly now: number };
  readonly journal?: Uint8Array;
  /** Hours that the segments now hold, as far as they are in rows up to `last`. */
  readonly sealed?: { readonly last: number; readonly hours: readonly DeviceHour[] };
  /** Deletes the rows whose commits have lower numbers: everything in them is sealed. */
  readonly trimBefore?: number;
}

/** Another node changed the segments meanwhile: the work must be done again. */
export class OutpacedError extends Error {
  constructor() {
    super("another node changed the same telemetry at the same time");
    this.name = "OutpacedError";
  }
}

/** Calls may come at the same time. */
export interface SharedStore
  extends Pick<
    ChunkStore,
    "findSegments" | "newestSegment" | "readSegments" | "skipDay" | "countChunks" | "space" | "held" | "scrub" | "close"
  > {
  /** In the same order. New ones get numbers, the same ones on all nodes. */
  define(wanted: readonly SeriesName[]): Promise<readonly SeriesDefinition[]>;
  /** All series of these devices that any node has defined. */
  seriesOf(deviceIds: readonly string[]): Promise<readonly SeriesDefinition[]>;
  /** Ids of devices with telemetry after this one, in order. */
  deviceIds(after: string, limit: number): Promise<readonly string[]>;
  seriesOfNumbers(devices: readonly number[]): Promise<readonly SeriesDefinition[]>;
  /** All of them, in one commit. Durable and visible to every node when it resolves. */
  append(batches: readonly SharedBatch[]): Promise<void>;
  /** Rows above these numbers, those of a partition in one state of it. Reports damaged rows and sets them aside. */
  read(
    wanted: readonly { readonly partition: number; readonly after: number }[],
    onDamaged: OnDamaged,
  ): Promise<readonly ReadPartition[]>;
  /** Throws an OutpacedError if the epoch has changed; undefined: whatever it is. */
  commit(partition: number, epoch: number | undefined, changes: SharedChanges): Promise<void>;
  /** The values that segments hold. */
  latest(device: number, onDamaged: OnDamaged): Promise<readonly Latest[]>;
  dayToCompact(before: number, partitions: readonly number[]): Promise<DeviceDay | undefined>;
  drop(whose: DropTarget, before: number, limit: number): Promise<number>;
  /** The partitions whose background work this node does from now on: a fair part of them, and no other node's. */
  claim(): Promise<readonly number[]>;
}
