// The messages between the HTTP thread and the writing thread.
import type { SeriesDefinition } from "./batch.ts";
import type { StoredPlace } from "./checksum.ts";
import type { Latest } from "./chunk.ts";
import type { HeldPoints, HeldRow } from "./held-store.ts";
import type { Load } from "./plan-load.ts";
import type { ReadFailure } from "./read-failure.ts";
import type { DeviceSeries } from "./shared-engine.ts";
import type { SeriesName } from "./shared-store.ts";

/** The id of background work that nobody requested: sealing and compaction. */
export const BACKGROUND = 0;

export type WriterRequest =
  | { readonly kind: "append"; readonly id: number; readonly batch: Uint8Array }
  | {
      readonly kind: "snapshot";
      readonly id: number;
      readonly series: readonly DeviceSeries[];
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "hold"; readonly id: number; readonly points: readonly HeldPoints[] }
  | { readonly kind: "releasable"; readonly id: number; readonly byMs: number }
  | { readonly kind: "forgetHeld"; readonly id: number; readonly rows: readonly HeldRow[] }
  | { readonly kind: "load"; readonly id: number; readonly load: Load }
  | {
      readonly kind: "pack";
      readonly id: number;
      readonly device: number;
      readonly series: readonly SeriesDefinition[];
      readonly from: number;
      readonly to: number;
    }
  /** Columns have the order of the piece's chunks; those without a number are left out. */
  | {
      readonly kind: "loadPacked";
      readonly id: number;
      readonly load: Omit<Load, "columns"> & { readonly series: readonly (number | undefined)[] };
      readonly piece: Uint8Array;
    }
  | { readonly kind: "newestBefore"; readonly id: number; readonly device: number; readonly before: number }
  | { readonly kind: "deleteDevice"; readonly id: number; readonly deviceId: string }
  | {
      readonly kind: "drop";
      readonly id: number;
      readonly deviceId: string;
      readonly series: readonly number[];
      readonly before: number;
    }
  /** These three are for a shared store only. */
  | { readonly kind: "define"; readonly id: number; readonly wanted: readonly SeriesName[] }
  | { readonly kind: "seriesOf"; readonly id: number; readonly deviceIds: readonly string[] }
  | { readonly kind: "latest"; readonly id: number; readonly deviceId: string }
  | { readonly kind: "countChunks"; readonly id: number }
  | { readonly kind: "space"; readonly id: number }
  | { readonly kind: "settle"; readonly id: number; readonly now: number }
  | { readonly kind: "close"; readonly id: number };

export type WriterAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: ReadFailure }
  /** Damage found by background work. */
  | { readonly id: typeof BACKGROUND; readonly damaged: StoredPlace };

/** The thread's first message. */
export interface WriterOpened {
  /** Whether other nodes write to the same store. Then it sends neither definitions nor latest values here. */
  readonly isShared: boolean;
  readonly definitions: readonly SeriesDefinition[];
  readonly latest: readonly Latest[];
  readonly damaged: readonly StoredPlace[];
  /** The new name of a store that was unreadable as a whole; an empty one took its place. */
  readonly setAside: string | undefined;
}
