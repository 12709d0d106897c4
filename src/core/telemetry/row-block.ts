/**
 * Some rows of a table: a time and a cell per column each. Arrays may be longer than `count`; what lies behind it means nothing.
 */
export interface RowBlock {
  readonly count: number;
  /** Starts of buckets in Unix milliseconds, rising. */
  readonly times: Float64Array;
  /** Every time of the whole answer is a multiple of it: 1000, or 1. */
  readonly timeUnitMs: number;
  /**
   * So many more rows follow row i, each `stepMs` after the one before, with the same cells. Filling gaps makes such rows by the million;
   * this way they are neither stored nor looked at one by one.
   */
  readonly repeats: Uint32Array;
  readonly stepMs: number;
  readonly columns: readonly BlockColumn[];
}

export type BlockColumn =
  | { readonly kind: "number"; readonly values: Float64Array; readonly presence: Uint8Array }
  /** 0 and 1. */
  | { readonly kind: "boolean"; readonly values: Uint8Array; readonly presence: Uint8Array }
  | { readonly kind: "text"; readonly values: string[]; readonly presence: Uint8Array };

/** The same rows in memory of their own, which may be given away. */
export function copyBlock(block: RowBlock): RowBlock {
  const { count, times, repeats, columns } = block;
  return {
    ...block,
    times: times.slice(0, count),
    repeats: repeats.slice(0, count),
    columns: columns.map(
      (column) =>
        ({
          kind: column.kind,
          values: column.values.slice(0, count),
          presence: column.presence.slice(0, count),
        }) as BlockColumn,
    ),
  };
}
