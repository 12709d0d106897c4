import type { Scalar } from "./batch.ts";
import type { Summary } from "./chunk.ts";
import type { Column } from "./column.ts";

/** A whole chunk as parts: their indices, and the time of its last point. */
export interface PartsChunk {
  readonly from: number;
  readonly to: number;
  readonly lastAt: number;
}

/** Folds one bucket after the other. Within a bucket points come in order of time. */
export interface Accumulator {
  /** A new bucket begins; at least one point is added before `store`. */
  begin(): void;
  addPoints(column: Column, from: number, to: number): void;
  /** For numbers only: adds the parts from one index to before another, whose figures are in the arrays of `fields`. */
  addParts(fields: readonly Float64Array[], from: number, to: number): void;
  /**
   * Called before the parts of a chunk are added. False: they do not suffice, and the accumulator has to be given more detail.
   * Absent: parts always suffice.
   */
  takesParts?(fields: readonly Float64Array[], chunk: PartsChunk): boolean;
  addSummary(summary: Summary): void;
  /**
   * Stores the result at this index: in the numbers, or in the others if it is no number. It is not returned, because a
   * returned number would become an object.
   */
  store(numbers: Float64Array, others: Scalar[], place: number): void;
}
