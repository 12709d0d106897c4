import type { ChunkHead } from "./chunk.ts";
import type { ChunkView } from "./chunk-reader.ts";
import type { SeriesItem } from "./query.ts";

/** Bytes of parts that are kept: those of a day with a point a second take 15 kB. */
const ROOM_BYTES = 4 * 1024 * 1024;

/** The series that several items ask for, such as a mean with its least and greatest values. */
export function sharedSeries(items: readonly Pick<SeriesItem, "series">[]): ReadonlySet<number> {
  const [once, again] = [new Set<number>(), new Set<number>()];
  for (const { series } of items) if (series !== undefined) (once.has(series) ? again : once).add(series);
  return again;
}

/**
 * The same view, which reads and checks the parts of a chunk of these series once for all columns. A mean with least and
 * greatest values by the hour takes 0.55 of the processor time.
 */
export function shareParts(view: ChunkView, series: ReadonlySet<number>, room = ROOM_BYTES): ChunkView {
  if (series.size === 0) return view;
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  const parts = (head: ChunkHead): Uint8Array => {
    if (!series.has(head.series)) return view.parts(head);
    const key = `${head.series}/${head.start}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const read = view.parts(head);
    kept.set(key, read);
    bytes += read.length;
    for (const [oldest, { length }] of kept) {
      if (bytes <= room) break;
      kept.delete(oldest);
      bytes -= length;
    }
    return read;
  };
  return { ...view, parts };
}
