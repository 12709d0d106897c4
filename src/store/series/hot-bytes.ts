// The memory of unsealed points that a query takes with it from thread to thread.
import type { HotSeries } from "./engine.ts";

/** A message with very many small ones would take longer. */
const LARGE = 1_024;

export function bytesOf(hot: readonly HotSeries[]): number {
  let bytes = 0;
  for (const { columns } of hot) {
    for (const { times, values } of columns) {
      bytes += times.byteLength;
      if (ArrayBuffer.isView(values)) bytes += values.byteLength;
      else for (const text of values) bytes += 8 + text.length;
    }
  }
  return bytes;
}

/**
 * What need not be copied, if nobody reads the points here any more. An hour of ten series at a point a second has 0.6 MB: copies of it that
 * nobody reads any more make V8 collect all objects of a thread every 60 queries.
 */
export function largeBuffers(hot: readonly HotSeries[]): readonly ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { columns } of hot) {
    for (const { times, values } of columns) {
      for (const array of [times, values]) {
        if (!ArrayBuffer.isView(array) || !(array.buffer instanceof ArrayBuffer)) continue;
        if (array.buffer.byteLength >= LARGE) buffers.add(array.buffer);
      }
    }
  }
  return [...buffers];
}
