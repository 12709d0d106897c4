// What the HTTP thread and the writing thread say to each other.
import type { Load } from "./plan-load.ts";
import type { HeldPoints, HeldRow } from "./sqlite/held-points.ts";

/** Stands for what nobody asked for: sealing and compaction. */
export const BACKGROUND = 0;

export type WriterRequest =
  | { readonly kind: "append"; readonly id: number; readonly batch: Uint8Array }
  | {
      readonly kind: "snapshot";
      readonly id: number;
      readonly series: readonly number[];
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "hold"; readonly id: number; readonly points: readonly HeldPoints[] }
  | { readonly kind: "takeRight"; readonly id: number; readonly byMs: number }
  | { readonly kind: "forgetHeld"; readonly id: number; readonly rows: readonly HeldRow[] }
  | { readonly kind: "load"; readonly id: number; readonly load: Load }
  | { readonly kind: "deleteDevice"; readonly id: number; readonly deviceId: string }
  | { readonly kind: "drop"; readonly id: number; readonly series: readonly number[]; readonly before: number }
  | { readonly kind: "settle"; readonly id: number; readonly now: number }
  | { readonly kind: "close"; readonly id: number };

export type WriterAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: WriterFailure };

export interface WriterFailure {
  readonly code: "storage_full" | "storage_unavailable" | "internal";
  readonly message: string;
}
