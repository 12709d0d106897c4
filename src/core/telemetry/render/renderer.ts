import type { RowBlock } from "#core/telemetry/row-block.ts";

/** Makes the bytes of one answer. */
export interface Renderer {
  /** The bytes of the next rows. The first ones come with what stands before all rows, the last ones with what stands behind them. */
  render(block: RowBlock, isLast: boolean): Uint8Array;
}
