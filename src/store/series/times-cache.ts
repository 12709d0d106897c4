// Times of segments, decoded once for all series of a device and for the queries that follow.
import { DamagedPiece } from "./checksum.ts";
import type { ChunkView } from "./chunk-reader.ts";
import { decodeSegmentTimes } from "./segment-codec.ts";

export interface TimesCache {
  /**
   * Times of the device's segment that starts there, for one view of the store. A segment may be rewritten between two
   * views, so decoded times are reused only if the stored bytes are still the same.
   */
  view(view: ChunkView): (device: number, start: number) => Float64Array;
}

interface Entry {
  readonly bytes: Uint8Array;
  readonly times: Float64Array;
}

/** Keeps the most recently used times, up to `room` bytes. */
export function createTimesCache(room: number): TimesCache {
  const kept = new Map<string, Entry>();
  let used = 0;
  const keep = (key: string, entry: Entry) => {
    drop(key);
    kept.set(key, entry);
    used += sizeOf(entry);
    for (const oldest of kept.keys()) {
      if (used <= room || oldest === key) break;
      drop(oldest);
    }
  };
  const drop = (key: string) => {
    const entry = kept.get(key);
    if (entry !== undefined && kept.delete(key)) used -= sizeOf(entry);
  };
  return {
    view(view) {
      const seen = new Map<string, Float64Array>();
      return (device, start) => {
        const key = `${device}/${start}`;
        const known = seen.get(key);
        if (known !== undefined) return known;
        const segment = view.segment(device, start);
        if (segment === undefined) throw new DamagedPiece({ table: "segment", key: device, start, span: 0 });
        const before = kept.get(key);
        const isSame = before !== undefined && Buffer.compare(before.bytes, segment.times) === 0;
        const entry = isSame ? before : { bytes: segment.times, times: decodeSegmentTimes(segment) };
        keep(key, entry);
        // A query over years needs only a few of them at once.
        if (seen.size >= MOST_SEEN) seen.clear();
        seen.set(key, entry.times);
        return entry.times;
      };
    },
  };
}

const MOST_SEEN = 8;

function sizeOf({ bytes, times }: Entry): number {
  return bytes.byteLength + times.byteLength;
}
